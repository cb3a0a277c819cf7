#!/bin/sh
# Plays Claude Code for the tests of `catchword run`: it prints and takes rows as 2.1.325 does, as far as `run`
# looks at them. What a session does stands in the file `scene` beside it: a function `turn`, called with every
# prompt, which knows its session by $n. What it was given is kept: args.$n, heard.$n.
n=$(($(cat count 2>/dev/null || echo 0) + 1))
echo $n >count
printf '%s\n' "$*" >args.$n

row() { printf '%s\n' "$1"; }

# The model has answered, with a context of $1 tokens.
used() {
    row '{"type":"assistant","message":{"usage":{"input_tokens":'"$1"'}},"parent_tool_use_id":null,"session_id":"s'$n'"}'
}

# What runs in the background: a list of JSON objects.
background() { row '{"type":"system","subtype":"background_tasks_changed","tasks":['"$1"']}'; }

result() {
    row '{"type":"result","subtype":"success","is_error":false,"result":"'"$1"'","terminal_reason":"'"${2:-completed}"'","session_id":"s'$n'","num_turns":2,"total_cost_usd":0.25}'
}

# Tools have run. Waits for an answer; fails when it is to stop.
boundary() {
    row '{"type":"control_request","request_id":"q'$n'","request":{"subtype":"hook_callback","callback_id":"catchword-boundary","input":{"session_id":"s'$n'","transcript_path":"'"$PWD"'/t'$n'.jsonl"}}}'
    while hear; do
        case $line in
        *'"continue":false'*)
            result "" hook_stopped
            return 1
            ;;
        *'"request_id":"q'*) return 0 ;;
        *'"type":"user"'*) took ;;
        esac
    done
}

hear() {
    IFS= read -r line || return 1
    printf '%s\n' "$line" >>heard.$n
}

# A prompt has reached the model.
took() {
    id=$(printf '%s' "$line" | sed 's/.*"uuid":"\([^"]*\)".*/\1/')
    row '{"type":"user","uuid":"'"$id"'","isReplay":true}'
}

. ./scene

while hear; do
    case $line in
    *'"subtype":"get_context_usage"'*)
        row '{"type":"control_response","response":{"subtype":"success","request_id":"catchword-context","response":{"rawMaxTokens":200000,"autoCompactThreshold":100000,"isAutoCompactEnabled":true}}}'
        ;;
    *'"subtype":"initialize"'*)
        row '{"type":"control_response","response":{"subtype":"success","request_id":"catchword-hello","response":{}}}'
        ;;
    *'"type":"user"'*)
        row '{"type":"system","subtype":"init","session_id":"s'$n'"}'
        row '{"type":"control_request","request_id":"p'$n'","request":{"subtype":"hook_callback","callback_id":"catchword-prompt","input":{"session_id":"s'$n'","transcript_path":"'"$PWD"'/t'$n'.jsonl"}}}'
        took
        turn
        ;;
    esac
done
exit "${code:-0}"
