-- Schema 3: compactions of sessions that are not on the asking machine, and machines that change their name.
--
-- The rules of schema 1 hold.

SET ROLE catchword_owner;

-- The boundaries and summaries of a transcript that may be read, in order.
CREATE FUNCTION catchword.compactions(a_source bytea)
RETURNS TABLE (line bigint, part bigint, until bigint, kind smallint, flags smallint, at bigint, version bigint,
    rules integer, title text, body text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = catchword, pg_temp AS $$
    SELECT i.line, i.part, i.until, i.kind, i.flags, i.at, i.version, i.rules, i.title, i.body
    FROM catchword.item i JOIN catchword.source s ON s.team = i.team AND s.source = i.source
    WHERE i.team = catchword.my_team() AND s.team = catchword.my_team() AND i.source = a_source
        AND (s.person = session_user OR s.share = 'team') AND i.kind IN (8, 10)
    ORDER BY i.line, i.part
$$;

-- Those of some transcripts that may be read, as `sources` lists all: a search needs few of many.
CREATE FUNCTION catchword.sources_of(a_sources bytea[])
RETURNS TABLE (machine text, client text, session text, thread text, generation bigint, version bigint,
    reached_line bigint, reached_part bigint, person text, share text, project_key text, project text, title text,
    first_at bigint, last_at bigint, prompts bigint, calls bigint, compactions bigint, tokens bigint, lost bigint,
    given_back bigint, source bytea)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = catchword, pg_temp AS $$
    SELECT s.machine, s.client, s.session, s.thread, s.generation, s.version, s.reached_line, s.reached_part, s.person,
        s.share, a.project_key, a.project, a.title, s.first_at, s.last_at, s.prompts, s.calls, s.compactions, s.tokens,
        s.lost, s.given_back, s.source
    FROM catchword.source s LEFT JOIN catchword.about a ON a.team = s.team AND a.source = s.source
    WHERE s.team = catchword.my_team() AND s.source = ANY (a_sources) AND (s.person = session_user OR s.share = 'team')
$$;

-- What one's own machine is called from now on. One that has pushed nothing yet gets its name with its first push.
CREATE FUNCTION catchword.name_machine(a_machine text, a_name text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = catchword, pg_temp AS $$
    UPDATE catchword.machine SET name = a_name
    WHERE team = catchword.my_team() AND machine = a_machine AND person = session_user
        AND name IS DISTINCT FROM a_name
$$;

-- In how many items a word is that may be read, counted up to `a_most`; as `find` looks it up. Before, a common word was
-- counted by reading items in the order of the table, all of them for somebody who may see few.
CREATE OR REPLACE FUNCTION catchword.occurrences(a_query text, a_most bigint) RETURNS bigint
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = catchword, pg_temp SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
    v_team text := catchword.my_team();
    v_query tsquery := to_tsquery('simple', a_query);
    v_seen bytea[];
BEGIN
    SELECT array_agg(s.source) INTO v_seen FROM catchword.source s
        WHERE s.team = v_team AND (s.person = session_user OR s.share = 'team');
    RETURN (SELECT count(*) FROM (SELECT 1 FROM catchword.item i
        WHERE i.team = v_team AND i.words @@ v_query AND i.source = ANY (v_seen)
        ORDER BY i.at DESC NULLS LAST LIMIT a_most) AS seen);
END $$;

REVOKE ALL ON FUNCTION catchword.compactions, catchword.sources_of, catchword.name_machine FROM PUBLIC;
GRANT EXECUTE ON FUNCTION catchword.compactions, catchword.sources_of TO catchword_reader;
GRANT EXECUTE ON FUNCTION catchword.name_machine TO catchword_writer;
UPDATE catchword.schema_version SET version = 3 WHERE team IS NOT NULL;

RESET ROLE;
