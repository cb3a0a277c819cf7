//! What summaries say: the words of a model that retells a session.
//!
//! Words are separated by spaces; `_` stands for a space inside one, a trailing `*` for any ending. A language is one
//! [`SummaryWords`]; what only English needs is below. Every entry has an example, which is its test: it contains one of
//! the words.

/// What a part of a summary is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heading {
    /// What is not done.
    Pending,
    /// What is done.
    Done,
    /// What was being done at the end.
    Current,
    /// What the user said.
    UserMessages,
    /// The model's chronological analysis before the summary.
    Story,
    /// Anything else.
    Other,
}

/// Words, and a text that has one of them.
pub struct Cues {
    pub words: &'static str,
    pub example: &'static str,
}

const fn cues(words: &'static str, example: &'static str) -> Cues {
    Cues { words, example }
}

const NO_WORDS: Cues = cues("", "");

/// The words of one language.
pub struct SummaryWords {
    /// Something is done.
    pub done: Cues,
    /// Something is begun, missing or put off.
    pub open: Cues,
    /// What has not happened, or would.
    pub wishes: Cues,
    /// Openings of a condition.
    pub conditions: Cues,
    pub negations: Cues,
    /// A negation and a word for nothing deny once: "não resta nada".
    pub doubles_negation: bool,
    /// Nothing.
    pub none: Cues,
    /// What is left.
    pub left: Cues,
    /// Everything.
    pub all: Cues,
    /// Work.
    pub work: Cues,
    /// All of the work, in one word or phrase.
    pub all_work: Cues,
    /// Turns of a sentence.
    pub but: Cues,
    /// Openings of an exception.
    pub except: Cues,
    /// The user.
    pub user: Cues,
    /// Only a suggestion.
    pub suggests: Cues,
    /// No choice.
    pub demands: Cues,
    /// The tests.
    pub tests: Cues,
    /// The build.
    pub build: Cues,
    /// A check passes.
    pub passes: Cues,
    /// A check fails.
    pub fails: Cues,
    /// Something is wrong.
    pub trouble: Cues,
    /// Why a failure does not matter.
    pub excuses: Cues,
    /// Parts of headings, see [`Heading`].
    pub messages_title: Cues,
    pub pending_title: Cues,
    pub done_title: Cues,
    pub current_title: Cues,
}

const NOTHING: SummaryWords = SummaryWords {
    done: NO_WORDS,
    open: NO_WORDS,
    wishes: NO_WORDS,
    conditions: NO_WORDS,
    negations: NO_WORDS,
    doubles_negation: false,
    none: NO_WORDS,
    left: NO_WORDS,
    all: NO_WORDS,
    work: NO_WORDS,
    all_work: NO_WORDS,
    but: NO_WORDS,
    except: NO_WORDS,
    user: NO_WORDS,
    suggests: NO_WORDS,
    demands: NO_WORDS,
    tests: NO_WORDS,
    build: NO_WORDS,
    passes: NO_WORDS,
    fails: NO_WORDS,
    trouble: NO_WORDS,
    excuses: NO_WORDS,
    messages_title: NO_WORDS,
    pending_title: NO_WORDS,
    done_title: NO_WORDS,
    current_title: NO_WORDS,
};

/// All languages, English first.
pub const LANGUAGES: &[SummaryWords] =
    &[ENGLISH, PORTUGUESE, SPANISH, GERMAN, FRENCH, ITALIAN, CHINESE, JAPANESE, KOREAN, RUSSIAN];

const ENGLISH: SummaryWords = SummaryWords {
    done: cues(
        "completed done finished implemented accomplished delivered shipped landed resolved in_place wrapped_up \
         sorted_out checked_off taken_care finalized finalised",
        "the docs have been wrapped up",
    ),
    open: cues(
        "pending in_progress todo to_do to_be remaining remains remain outstanding still partially partly almost \
         nearly mostly half halfway started ongoing wip incomplete partial unfinished blocked waiting awaiting yet next \
         later continue continuing begin began working deferred skipped failed fails failing",
        "the docs (in progress)",
    ),
    wishes: cues(
        "will would should must can could may might need needs needed verify ensure confirm asked wants wanted \
         requested going_to",
        "the docs should be done",
    ),
    conditions: cues("once when if until unless whether before after", "once the docs are done"),
    negations: cues(
        "not never cannot isn't aren't wasn't weren't hasn't haven't doesn't don't dont didn't can't won't",
        "the docs aren't done",
    ),
    none: cues("none nothing no zero 0 n_a nil without", "there is nothing to do"),
    left: cues(
        "pending remaining remains remain outstanding left todo to_do open unfinished incomplete loose_ends \
         further_work more_work",
        "no loose ends",
    ),
    all: cues("all everything every entire whole fully", "the whole list"),
    work: cues("tasks task todos items steps work everything", "all tasks"),
    all_work: cues("everything every_single_one whole_list entire_list full_list", "the entire list is done"),
    but: cues("but however although though while", "done, but untested"),
    except: cues("except apart_from other_than besides aside_from", "apart from the docs"),
    user: cues("user user's", "the user's wish"),
    suggests: cues("maybe perhaps possibly", "maybe use nom"),
    demands: cues("always never must mandatory required requires only", "always use nom"),
    tests: cues("tests test_suite suite specs", "the test suite is green"),
    build: cues("build builds compilation compiles", "the build is clean"),
    passes: cues(
        "pass passes passing passed green clean cleanly succeed succeeds succeeded successful successfully",
        "the tests are green",
    ),
    fails: cues("fail fails failing broken red", "the tests are red"),
    trouble: cues(
        "error errors failure failures crash* broke* issue issues bug bugs problem problems exception* warnings",
        "it stops with an error",
    ),
    excuses: cues(
        "pre preexisting existing flaky unrelated known expected environment except skipped ignored",
        "one flaky test",
    ),
    messages_title: cues(
        "user_message messages_from_the_user user's_messages user_request_history",
        "All user messages",
    ),
    pending_title: cues(
        "pending remaining todo to_do to-do open_task open_item outstanding not_yet still_need",
        "Pending Tasks",
    ),
    done_title: cues("completed done finished accomplished", "Completed work"),
    current_title: cues("current_work current_state current_status next_step status", "Current Work"),
    ..NOTHING
};

const PORTUGUESE: SummaryWords = SummaryWords {
    done: cues(
        "feito feita feitos feitas pronto pronta implementad* finalizad* terminad* completad* concluid* concluíd*",
        "a documentação foi concluída",
    ),
    open: cues(
        "falta faltam ainda parcialmente andamento depois após pendente* restante*",
        "a documentação em andamento",
    ),
    conditions: cues("quando", "quando estiver feita"),
    negations: cues("não nao nem", "não está feita"),
    doubles_negation: true,
    none: cues("nenhum* nada sem", "nenhuma tarefa"),
    left: cues("pendente* falta faltam fazer restante*", "tarefas pendentes"),
    all: cues("todos todas tudo", "todas as tarefas"),
    work: cues("tarefa* tudo trabalho", "todas as tarefas"),
    all_work: cues("tudo", "tudo feito"),
    but: cues("mas", "feita, mas sem testes"),
    except: cues("exceto", "exceto a documentação"),
    user: cues("usuári*", "o usuário pediu"),
    suggests: cues("talvez", "talvez usar nom"),
    demands: cues("sempre nunca deve", "sempre usar nom"),
    tests: cues("testes", "os testes passam"),
    passes: cues("passam passaram passando verdes verde", "os testes passam"),
    fails: cues("falham falhando", "os testes falham"),
    trouble: cues("erro* falh*", "há um erro"),
    excuses: cues("exceto conhecid*", "uma falha conhecida"),
    messages_title: cues("mensagens_do_usu", "mensagens do usuário"),
    pending_title: cues("pendente restante", "tarefas pendentes"),
    done_title: cues("concluíd", "trabalho concluído"),
    current_title: cues("trabalho_atual estado próximo", "trabalho atual"),
    ..NOTHING
};

const SPANISH: SummaryWords = SummaryWords {
    done: cues("hecho hecha hechas terminad* completad*", "la documentación está hecha"),
    open: cues("faltan pendiente* todavía aún", "todavía en curso"),
    none: cues("nada ningun* sin", "ninguna tarea"),
    left: cues("pendiente* faltan hacer", "tareas pendientes"),
    all: cues("todo todos todas", "todas las tareas"),
    work: cues("tareas trabajo", "todas las tareas"),
    but: cues("pero", "hecha, pero sin pruebas"),
    except: cues("excepto", "excepto la documentación"),
    user: cues("usuario", "el usuario pidió"),
    suggests: cues("quizá tal_vez", "tal vez usar nom"),
    demands: cues("siempre nunca debe", "siempre usar nom"),
    tests: cues("pruebas", "las pruebas pasan"),
    passes: cues("pasan verdes verde", "las pruebas pasan"),
    fails: cues("fallan", "las pruebas fallan"),
    trouble: cues("errores", "sin errores"),
    excuses: cues("excepto", "todas excepto una"),
    messages_title: cues("mensajes_del_usu", "mensajes del usuario"),
    pending_title: cues("pendiente", "tareas pendientes"),
    done_title: cues("completad", "trabajo completado"),
    current_title: cues("trabajo_actual", "trabajo actual"),
    ..NOTHING
};

const GERMAN: SummaryWords = SummaryWords {
    done: cues("erledigt* abgeschlossen* fertig* umgesetzt*", "die Doku ist abgeschlossen"),
    open: cues("noch offen* ausstehend* teilweise fast muss müssen", "die Doku ist noch offen"),
    conditions: cues("sobald wenn nachdem", "sobald die Doku fertig ist"),
    negations: cues("nicht", "nicht fertig"),
    none: cues("keine* nichts ohne", "keine Aufgaben"),
    left: cues("offen* übrig ausstehend* tun", "nichts zu tun"),
    all: cues("alle alles sämtliche", "alle Aufgaben"),
    work: cues("aufgaben arbeiten alles", "alle Aufgaben"),
    all_work: cues("alles", "alles erledigt"),
    but: cues("aber", "fertig, aber ohne Tests"),
    except: cues("außer", "außer der Doku"),
    user: cues("nutzer* benutzer*", "der Nutzer will"),
    suggests: cues("vielleicht eventuell", "vielleicht nom nehmen"),
    demands: cues("immer niemals muss", "immer nom nehmen"),
    passes: cues("passieren bestanden grün durch", "die Tests sind grün"),
    fails: cues("fehlschlagen", "die Tests fehlschlagen"),
    trouble: cues("fehler* bricht", "ein Fehler"),
    excuses: cues("außer bekannt*", "ein bekannter Fehler"),
    messages_title: cues("nachrichten", "Nachrichten"),
    pending_title: cues("offene ausstehend", "Offene Aufgaben"),
    done_title: cues("erledigt abgeschlossen", "Erledigt"),
    current_title: cues("aktuelle nächste", "Aktuelle Arbeit"),
    ..NOTHING
};

const FRENCH: SummaryWords = SummaryWords {
    done: cues("terminé achevé", "la documentation est terminée"),
    open: cues("reste encore presque", "il reste la documentation"),
    negations: cues("pas", "pas terminé"),
    doubles_negation: true,
    none: cues("aucun* rien", "rien à faire"),
    left: cues("reste attente faire", "rien à faire"),
    all: cues("tous toutes tout", "toutes les tâches"),
    work: cues("tâches taches tout", "toutes les tâches"),
    all_work: cues("tout", "tout est terminé"),
    but: cues("mais", "terminé, mais sans tests"),
    except: cues("sauf", "sauf la documentation"),
    user: cues("utilisateur", "l'utilisateur veut"),
    suggests: cues("peut-être", "peut-être nom"),
    demands: cues("toujours jamais", "toujours nom"),
    passes: cues("passent", "les tests passent"),
    trouble: cues("échou", "le script échoue"),
    excuses: cues("sauf", "tous sauf un"),
    messages_title: cues("messages_de_l", "messages de l'utilisateur"),
    pending_title: cues("en_attente à_faire", "tâches en attente"),
    done_title: cues("terminé", "travail terminé"),
    current_title: cues("travail_en_cours prochaine", "travail en cours"),
    ..NOTHING
};

const ITALIAN: SummaryWords = SummaryWords {
    done: cues("completato completata", "la documentazione è completata"),
    none: cues("nessun*", "nessun compito"),
    all: cues("tutto tutti", "tutto fatto"),
    ..NOTHING
};

const CHINESE: SummaryWords = SummaryWords {
    done: cues("完成", "文档已完成"),
    open: cues("待 还没 尚 部分完成", "文档尚在写"),
    negations: cues("未 没", "文档未完成"),
    doubles_negation: true,
    none: cues("无 無 没有 沒有", "没有任务"),
    left: cues("待办 待处理 剩余 未完", "没有待办"),
    all: cues("全部 所有", "所有任务"),
    work: cues("任务 工作", "所有任务"),
    all_work: cues("所有任务 全部任务 所有工作 全部工作", "所有任务已完成"),
    but: cues("但", "完成，但没有测试"),
    user: cues("用户", "用户要求"),
    suggests: cues("也许 或许", "也许用 nom"),
    demands: cues("必须 总是", "必须用 nom"),
    tests: cues("测试 測試", "测试通过"),
    build: cues("构建", "构建成功"),
    passes: cues("通过 通過 成功", "测试通过"),
    fails: cues("失败 失敗", "测试失败"),
    messages_title: cues("用户消息 用户的消息", "所有用户消息"),
    pending_title: cues("未完成 待办 待处理", "待办事项"),
    done_title: cues("已完成", "已完成"),
    current_title: cues("当前 下一步", "当前工作"),
    ..NOTHING
};

const JAPANESE: SummaryWords = SummaryWords {
    done: cues("完了 済み 終わ 終了", "文書は完了"),
    open: cues("まだ 残り 予定 進行中", "文書はまだ"),
    negations: cues("していません ていない", "完了していません"),
    none: cues("なし 無し ありません", "タスクなし"),
    left: cues("残", "残りなし"),
    all: cues("すべて 全て 全タスク", "すべてのタスク"),
    work: cues("タスク 作業", "すべてのタスク"),
    all_work: cues("すべてのタスク 全てのタスク 全タスク", "全タスク完了"),
    but: cues("ただし", "完了。ただしテストなし"),
    user: cues("ユーザー", "ユーザーは"),
    suggests: cues("かもしれ", "nom かもしれない"),
    demands: cues("必ず 常に", "必ず nom"),
    tests: cues("テスト", "テストが通過"),
    build: cues("ビルド", "ビルド成功"),
    passes: cues("通過 パス 成功", "テストが通過"),
    fails: cues("失敗", "テスト失敗"),
    messages_title: cues("ユーザー", "ユーザーのメッセージ"),
    pending_title: cues("未完了 残り 保留中", "未完了のタスク"),
    done_title: cues("完了", "完了した作業"),
    current_title: cues("現在 次の", "現在の作業"),
    ..NOTHING
};

const KOREAN: SummaryWords = SummaryWords {
    done: cues("완료 끝났 끝냈 마쳤", "문서 작업 완료"),
    open: cues("아직 미완료 진행_중 남은 예정", "문서 작업 미완료"),
    negations: cues("안_ 않", "하지 않았다"),
    none: cues("없음 없습니다 없다", "없음"),
    left: cues("남은 대기", "남은 작업"),
    all: cues("모든 모두 전부", "모든 작업"),
    work: cues("작업", "모든 작업"),
    all_work: cues("모든_작업", "모든 작업 완료"),
    user: cues("사용자", "사용자는"),
    suggests: cues("아마", "아마 nom"),
    demands: cues("반드시 항상", "항상 nom"),
    tests: cues("테스트", "테스트 통과"),
    build: cues("빌드", "빌드 성공"),
    passes: cues("통과 성공", "테스트 통과"),
    fails: cues("실패", "테스트 실패"),
    messages_title: cues("사용자_메시지", "모든 사용자 메시지"),
    pending_title: cues("남은 미완료 대기_중 할_일", "남은 작업"),
    done_title: cues("완료", "완료된 작업"),
    current_title: cues("현재 다음", "현재 작업"),
    ..NOTHING
};

const RUSSIAN: SummaryWords = SummaryWords {
    done: cues("готов* заверш* выполнен*", "документация готова"),
    open: cues("ожида* ещё осталось", "осталось написать документацию"),
    none: cues("нет", "задач нет"),
    all: cues("все", "все задачи"),
    work: cues("задач*", "все задачи"),
    all_work: cues("все_задач*", "все задачи выполнены"),
    ..NOTHING
};

// ---- what only English needs

/// Marks of something done, and of something open.
pub const DONE_MARKS: Cues = cues("✅ ✓ ✔ ☑ [x] 🎉", "[x] Write the docs");
pub const OPEN_MARKS: Cues = cues("⏳ 🔄 ⬜ ☐ [_] 🚧 ❌ ⚠ ◻", "[ ] Write the docs");

/// Titles of the analysis before a summary.
pub const STORY_TITLE: Cues = cues("analysis chronological", "Chronological analysis");
/// Words of a sentence, which is no title: "Not all tasks are completed: …".
pub const SENTENCE: Cues = cues("not no is are was were", "not all tasks are completed");

/// Before "complete", where it is a status and not an order.
pub const COMPLETE_AFTER: Cues =
    cues("is are now fully 100 been all be code feature", "the merge is complete");
/// A status at the end of a text: "Check what may not be cleaned up: done".
pub const STATUS: Cues = cues("done completed complete finished implemented resolved shipped", "docs: done");
/// Prepositions that limit nothing between "all" and the work.
pub const IDLE: Cues = cues("of in for von de di", "all of the work");
/// What narrows a claim down to a part.
pub const NARROWS: Cues = cues(
    "phase phases part session above these those previous previously earlier prior first so_far listed following \
     original each review reviewer feedback fase parte from of in on for under except but other subtasks some most \
     nearly almost only new existing related against half",
    "all tasks of phase 1",
);
/// What else narrows a claim about a check down, or tells the past.
pub const NARROWS_CHECK: Cues = cues(
    "to make check want expected was were had that then pre added more last",
    "the tests were green then",
);
/// What may be left without being work.
pub const NOT_WORK: Cues = cues("longer decisions question questions errors", "no open questions");
/// For what finished work is ready.
pub const READY_FOR: Cues =
    cues("merge merging ship release review deploy deployment production", "ready for review");
/// The same in one word.
pub const READY: Cues = cues("merge_ready production_ready release_ready", "it is production ready");

/// Commands and words for linters, and for type checkers.
pub const LINTERS: Cues = cues("lint linter linting clippy eslint ruff", "clippy is clean");
pub const TYPE_CHECKS: Cues = cues("typecheck type_check type_checking types tsc mypy", "tsc is clean");
/// What turns a word for failure around.
pub const MENDED: Cues = cues("fix fixes fixed fixing mended repaired resolved", "fixed the broken build");
/// Words before the name of a check that do not narrow it down.
pub const WIDE: Cues = cues(
    "all the full entire whole unit and integration now complete our its project every os as die tests test suite \
     everything current",
    "the full test suite",
);

/// What people do with words: "the user asked".
pub const SAID: Cues = cues(
    "wants wanted want noted notes clarified clarifies asked asks requested requests said says prefers preferred \
     insisted insists confirmed decided chose specified instructed pointed mentioned emphasized emphasised explained \
     expects needs demanded stated told reported suggested stressed reminded agreed",
    "the user asked for tests",
);
/// What people write: "the user's request".
pub const MESSAGE: Cues = cues(
    "request* message* instruction* prompt* ask question* feedback preference* decision* requirement*",
    "the latest request",
);
/// Besides [`SAID`], what shows that a quotation is somebody's.
pub const WROTE: Cues = cues("wrote replied added explicit request message", "the user wrote: \"go\"");
/// The newest of several.
pub const LATEST: Cues = cues("latest last most_recent final newest", "the latest request");
/// Words between two quotations of the same person.
pub const LINKS: Cues = cues("and then also later or plus followed by", "\"a\" and \"b\"");
/// A lasting order.
pub const ORDERS: Cues = cues("always never from_now_on must don't do_not no_longer", "from now on use nom");
/// What no longer holds.
pub const GONE: Cues = cues(
    "no_longer withdr* lifted earlier initially originally previously later then changed",
    "it was originally required",
);
/// A file was changed.
pub const CHANGED: Cues =
    cues("modified edited updated changed rewrote rewritten refactored fixed extended", "edited src/a.rs");
/// A file was made.
pub const CREATED: Cues = cues("created wrote written generated", "created src/a.rs");
/// Something was built, and only planned.
pub const BUILT: Cues = cues("implement* built", "finished implementing the parser");
pub const PLANNED: Cues = cues("plan plans planned planning design", "the implementation plan is complete");
/// A change was undone.
pub const TAKEN_BACK: Cues = cues(
    "revert* undid undo undone restored restore rolled_back put_back taken_back backed_out original removed",
    "the edit was reverted",
);
/// What a look at the files showed.
pub const CONFIRMS: Cues = cues(
    "confirm* verif* showed shows found search* grep occurrences matches remain*",
    "grep confirmed none",
);
/// A number is a guess.
pub const GUESSES: Cues = cues(
    "about around roughly approximately estimate* expect* should would might probably likely",
    "about 40 files",
);
/// A number that a summary computes itself, by the word before it.
pub const DERIVED: Cues = cues("about around roughly approximately over line lines total", "about 40 files");
/// What has a number of its own: `PR 12`.
pub const NUMBERED: Cues = cues("pr pull request issue mr", "PR 12");
/// What may come before such a number in a record: commands, addresses, fields.
pub const NUMBERED_IN_RECORD: Cues = cues(
    "pr prs pull pulls request requests issue issues mr merge_requests number num id view checkout checks merge diff \
     comment edit close",
    "gh pr view 12",
);
/// Verbs of tasks that produce something. "Test the limiter" and "document the limiter" are other work.
pub const MAKING: Cues = cues(
    "add adopt apply build connect convert create enable extend extract finish fix handle hook implement improve \
     integrate introduce make merge migrate move port refactor remove rename replace rewrite set support switch update \
     wire write",
    "wire the limiter into the gateway",
);
/// Past tenses that do not end in "ed".
pub const PAST: Cues = cues("wrote written built made ran sent", "wrote the docs");
/// Words that want another one behind them.
pub const WANTING: Cues =
    cues("the a an and or of to in with for that which is was by from", "src/a.rs and the");

/// Opposites: "the oldest entry" is not "the newest entry".
pub const OPPOSITES: &[(&str, &str)] = &[
    ("oldest", "newest"),
    ("oldest", "latest"),
    ("first", "last"),
    ("old", "new"),
    ("before", "after"),
    ("with", "without"),
    ("enable", "disable"),
    ("enabled", "disabled"),
    ("enables", "disables"),
    ("allow", "deny"),
    ("allowed", "forbidden"),
    ("include", "exclude"),
    ("included", "excluded"),
    ("always", "never"),
    ("minimum", "maximum"),
    ("least", "most"),
    ("increase", "decrease"),
    ("ascending", "descending"),
    ("sync", "async"),
    ("synchronous", "asynchronous"),
    ("public", "private"),
    ("required", "optional"),
    ("lowest", "highest"),
    ("up", "down"),
    ("true", "false"),
    ("client", "server"),
    ("local", "remote"),
    ("read-only", "read-write"),
    ("open", "closed"),
    ("internal", "external"),
];
