-- The shared archive, schema 1. Run once, by somebody who may create roles and a schema: `catchword archive init --print`.
--
-- Rules for every statement (a test reads this file for them), so that Citus, CockroachDB and YugabyteDB can run it, too:
-- the team is first in every key and in every condition; one GIN index on one stored column; no sequences, advisory locks,
-- notifications or extensions.
--
-- Nobody but the owner has a right to any table except to read figures. Everything else goes through functions that
-- decide by the login role (session_user) what may be seen and changed; row level security is the second lock.

CREATE ROLE catchword_owner NOLOGIN;
CREATE ROLE catchword_reader NOLOGIN;
CREATE ROLE catchword_writer NOLOGIN;
CREATE ROLE catchword_admin NOLOGIN;
GRANT catchword_reader TO catchword_writer;
GRANT catchword_writer TO catchword_admin;
GRANT catchword_owner TO CURRENT_USER;
CREATE SCHEMA catchword AUTHORIZATION catchword_owner;
SET ROLE catchword_owner;

-- Whose team somebody is in. A person is a login role.
CREATE TABLE catchword.person (team text NOT NULL, name text NOT NULL, PRIMARY KEY (team, name));

-- The schema that the tables have.
CREATE TABLE catchword.schema_version (team text NOT NULL, version integer NOT NULL, PRIMARY KEY (team));

-- A machine is a random id, bound to the person who first used it.
CREATE TABLE catchword.machine (team text NOT NULL, machine text NOT NULL, person text NOT NULL, name text,
    PRIMARY KEY (team, machine));

-- One row per transcript and machine: figures only, no title, path, branch or project. `source` is a hash of machine,
-- client, session and thread, `mark` one of the session. generation, version, reached_line and reached_part say how far it
-- was pushed. `share` is none, me or team.
CREATE TABLE catchword.source (team text NOT NULL, source bytea NOT NULL, machine text NOT NULL, person text NOT NULL,
    client text NOT NULL, session text NOT NULL, thread text NOT NULL, mark text NOT NULL, share text NOT NULL,
    generation bigint NOT NULL, version bigint NOT NULL, reached_line bigint NOT NULL, reached_part bigint NOT NULL,
    first_at bigint, last_at bigint, prompts bigint NOT NULL, calls bigint NOT NULL, compactions bigint NOT NULL,
    tokens bigint, lost bigint, given_back bigint, PRIMARY KEY (team, source));

-- What is not a figure about a transcript: visible as its words are.
CREATE TABLE catchword.about (team text NOT NULL, source bytea NOT NULL, project_key text, project text, title text,
    PRIMARY KEY (team, source));

-- The words: one row per item and machine. `hash` is that of the content, the same on every machine; `rules` the version of
-- the rules it was masked by; `words` what is searched, without positions.
CREATE TABLE catchword.item (team text NOT NULL, source bytea NOT NULL, line bigint NOT NULL, part bigint NOT NULL,
    until bigint, kind smallint NOT NULL, flags smallint NOT NULL, at bigint, version bigint NOT NULL,
    rules integer NOT NULL, hash bytea NOT NULL, title text NOT NULL, body text NOT NULL, words tsvector NOT NULL,
    PRIMARY KEY (team, source, line, part));
CREATE INDEX item_words ON catchword.item USING gin (words);
CREATE INDEX item_at ON catchword.item (team, at DESC NULLS LAST);

-- What was forgotten, by whom, and whether an administrator did it for everybody. No words: hashes, keys and times.
CREATE TABLE catchword.tombstone (team text NOT NULL, person text NOT NULL, id text NOT NULL, kind smallint NOT NULL,
    value text NOT NULL, at bigint NOT NULL, for_all boolean NOT NULL, PRIMARY KEY (team, person, id));

ALTER TABLE catchword.person ENABLE ROW LEVEL SECURITY;
ALTER TABLE catchword.schema_version ENABLE ROW LEVEL SECURITY;
ALTER TABLE catchword.machine ENABLE ROW LEVEL SECURITY;
ALTER TABLE catchword.source ENABLE ROW LEVEL SECURITY;
ALTER TABLE catchword.about ENABLE ROW LEVEL SECURITY;
ALTER TABLE catchword.item ENABLE ROW LEVEL SECURITY;
ALTER TABLE catchword.tombstone ENABLE ROW LEVEL SECURITY;

-- The team of whoever is logged in; null for a stranger.
CREATE FUNCTION catchword.my_team() RETURNS text LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path = catchword, pg_temp
    AS $$ SELECT team FROM catchword.person WHERE name = session_user ORDER BY team LIMIT 1 $$;

CREATE FUNCTION catchword.is_admin() RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path = catchword, pg_temp
    AS $$ SELECT pg_has_role(session_user, 'catchword_admin', 'member') $$;

-- The second lock: each sees own rows; figures are the team's.
CREATE POLICY own_team ON catchword.source FOR SELECT USING (team = (SELECT catchword.my_team()));
CREATE POLICY own_rows ON catchword.machine FOR SELECT
    USING (team = (SELECT catchword.my_team()) AND person = session_user);
CREATE POLICY own_words ON catchword.item FOR SELECT
    USING (team = (SELECT catchword.my_team()) AND source IN (SELECT s.source FROM catchword.source s
        WHERE s.team = (SELECT catchword.my_team()) AND (s.person = session_user OR s.share = 'team')));
CREATE POLICY own_words ON catchword.about FOR SELECT
    USING (team = (SELECT catchword.my_team()) AND source IN (SELECT s.source FROM catchword.source s
        WHERE s.team = (SELECT catchword.my_team()) AND (s.person = session_user OR s.share = 'team')));

-- Records part of a transcript in one step: recorded, elsewhere (not the position it is from) or forgotten.
CREATE FUNCTION catchword.append(a_source bytea, a_machine text, a_machine_name text, a_client text, a_session text,
    a_thread text, a_mark text, a_share text, a_project_key text, a_project text, a_title text, a_figures bigint[],
    a_from bigint[], a_to bigint[], a_lines bigint[], a_parts bigint[], a_untils bigint[], a_kinds smallint[],
    a_flags smallint[], a_ats bigint[], a_versions bigint[], a_rules integer[], a_hashes bytea[], a_titles text[],
    a_bodies text[], a_words text[])
RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path = catchword, pg_temp AS $$
DECLARE
    v_team text := catchword.my_team();
    v_owner text;
    v_reached bigint[];
    v_count bigint;
BEGIN
    IF v_team IS NULL THEN RAISE EXCEPTION 'you are not in a team of this archive'; END IF;
    INSERT INTO catchword.machine (team, machine, person, name) VALUES (v_team, a_machine, session_user, a_machine_name)
        ON CONFLICT (team, machine) DO NOTHING;
    SELECT person INTO v_owner FROM catchword.machine WHERE team = v_team AND machine = a_machine;
    IF v_owner IS DISTINCT FROM session_user::text THEN RAISE EXCEPTION 'this machine is another person''s'; END IF;
    IF EXISTS (SELECT 1 FROM catchword.tombstone t WHERE t.team = v_team AND (t.person = session_user OR t.for_all)
        AND ((t.kind = 1 AND t.value = a_mark) OR (t.kind = 2 AND t.value = a_project_key)
            OR (t.kind = 4 AND a_figures[2] < t.value::bigint))) THEN
        RETURN 'forgotten';
    END IF;
    SELECT person, ARRAY[generation, version, reached_line, reached_part] INTO v_owner, v_reached
        FROM catchword.source WHERE team = v_team AND source = a_source FOR UPDATE;
    IF NOT FOUND THEN
        IF a_from IS NOT NULL THEN RETURN 'elsewhere'; END IF;
        INSERT INTO catchword.source (team, source, machine, person, client, session, thread, mark, share, generation,
                version, reached_line, reached_part, prompts, calls, compactions)
            VALUES (v_team, a_source, a_machine, session_user, a_client, a_session, a_thread, a_mark, a_share, a_to[1],
                a_to[2], a_to[3], a_to[4], 0, 0, 0) ON CONFLICT (team, source) DO NOTHING;
        GET DIAGNOSTICS v_count = ROW_COUNT;
        IF v_count = 0 THEN RETURN 'elsewhere'; END IF;
    ELSE
        IF v_owner <> session_user THEN RAISE EXCEPTION 'this transcript is another person''s'; END IF;
        IF a_from IS DISTINCT FROM v_reached THEN RETURN 'elsewhere'; END IF;
        IF v_reached[1] <> a_to[1] OR a_share = 'none' THEN
            DELETE FROM catchword.item WHERE team = v_team AND source = a_source;
        END IF;
    END IF;
    UPDATE catchword.source SET share = a_share, generation = a_to[1], version = a_to[2], reached_line = a_to[3],
            reached_part = a_to[4], first_at = a_figures[1], last_at = a_figures[2], prompts = a_figures[3],
            calls = a_figures[4], compactions = a_figures[5], tokens = a_figures[6], lost = a_figures[7],
            given_back = a_figures[8]
        WHERE team = v_team AND source = a_source;
    IF a_share = 'none' THEN
        DELETE FROM catchword.about WHERE team = v_team AND source = a_source;
        RETURN 'recorded';
    END IF;
    INSERT INTO catchword.about (team, source, project_key, project, title)
        VALUES (v_team, a_source, a_project_key, a_project, a_title)
        ON CONFLICT (team, source) DO UPDATE SET project_key = excluded.project_key, project = excluded.project,
            title = excluded.title;
    INSERT INTO catchword.item (team, source, line, part, until, kind, flags, at, version, rules, hash, title, body, words)
        SELECT v_team, a_source, u.line, u.part, u.until, u.kind, u.flags, u.at, u.version, u.rules, u.hash, u.title,
            u.body, strip(to_tsvector('simple', u.words))
        FROM unnest(a_lines, a_parts, a_untils, a_kinds, a_flags, a_ats, a_versions, a_rules, a_hashes, a_titles,
            a_bodies, a_words) AS u(line, part, until, kind, flags, at, version, rules, hash, title, body, words)
        ON CONFLICT (team, source, line, part) DO UPDATE SET until = excluded.until, kind = excluded.kind,
            flags = excluded.flags, at = excluded.at, version = excluded.version, rules = excluded.rules,
            hash = excluded.hash, title = excluded.title, body = excluded.body, words = excluded.words;
    RETURN 'recorded';
END $$;

-- The transcripts whose words may be read, and one's own of which only figures are here.
CREATE FUNCTION catchword.sources()
RETURNS TABLE (machine text, client text, session text, thread text, generation bigint, version bigint,
    reached_line bigint, reached_part bigint, person text, share text, project_key text, project text, title text,
    first_at bigint, last_at bigint, prompts bigint, calls bigint, compactions bigint, tokens bigint, lost bigint,
    given_back bigint, source bytea)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = catchword, pg_temp AS $$
    SELECT s.machine, s.client, s.session, s.thread, s.generation, s.version, s.reached_line, s.reached_part, s.person,
        s.share, a.project_key, a.project, a.title, s.first_at, s.last_at, s.prompts, s.calls, s.compactions, s.tokens,
        s.lost, s.given_back, s.source
    FROM catchword.source s LEFT JOIN catchword.about a ON a.team = s.team AND a.source = s.source
    WHERE s.team = catchword.my_team() AND (s.person = session_user OR s.share = 'team')
    ORDER BY s.machine, s.client, s.session, s.thread
$$;

-- The items of a transcript that may be read: after a position, or in a range of lines.
CREATE FUNCTION catchword.items(a_source bytea, a_after bigint[], a_range bigint[], a_most bigint)
RETURNS TABLE (line bigint, part bigint, until bigint, kind smallint, flags smallint, at bigint, version bigint,
    rules integer, title text, body text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = catchword, pg_temp AS $$
DECLARE
    v_team text := catchword.my_team();
BEGIN
    IF NOT EXISTS (SELECT 1 FROM catchword.source s WHERE s.team = v_team AND s.source = a_source
        AND (s.person = session_user OR s.share = 'team')) THEN
        RETURN;
    END IF;
    IF a_range IS NULL THEN
        RETURN QUERY SELECT i.line, i.part, i.until, i.kind, i.flags, i.at, i.version, i.rules, i.title, i.body
            FROM catchword.item i WHERE i.team = v_team AND i.source = a_source
                AND (i.version, i.line, i.part) > (a_after[1], a_after[2], a_after[3])
            ORDER BY i.version, i.line, i.part LIMIT a_most;
    ELSE
        RETURN QUERY SELECT i.line, i.part, i.until, i.kind, i.flags, i.at, i.version, i.rules, i.title, i.body
            FROM catchword.item i WHERE i.team = v_team AND i.source = a_source
                AND i.line <= a_range[2] AND (i.line >= a_range[1] OR i.until >= a_range[1])
            ORDER BY i.line, i.part LIMIT a_most;
    END IF;
END $$;

-- The door to the words: newest items with all of the words (`a_query`, null for any) that may be read and match the
-- filter; not of the projects in `a_without`. Planned for each query: a rare word is looked up in the index of words, a
-- common one among the newest items.
CREATE FUNCTION catchword.find(a_query text, a_since bigint, a_until bigint, a_kinds smallint[], a_failed boolean,
    a_session text, a_project text, a_without text[], a_most bigint)
RETURNS TABLE (source bytea, line bigint, part bigint, until bigint, kind smallint, flags smallint, at bigint,
    version bigint, rules integer, title text, body text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = catchword, pg_temp SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
    v_team text := catchword.my_team();
    v_query tsquery := CASE WHEN a_query IS NULL THEN NULL ELSE to_tsquery('simple', a_query) END;
    v_seen bytea[];
BEGIN
    SELECT array_agg(s.source) INTO v_seen
        FROM catchword.source s LEFT JOIN catchword.about a ON a.team = s.team AND a.source = s.source
        WHERE s.team = v_team AND (s.person = session_user OR s.share = 'team')
            AND (a_session IS NULL OR starts_with(s.session, a_session))
            AND (a_project IS NULL OR position(a_project IN lower(a.project)) > 0)
            AND (a_without IS NULL OR a.project_key IS NULL OR a.project_key <> ALL (a_without));
    IF v_query IS NULL THEN
        RETURN QUERY SELECT i.source, i.line, i.part, i.until, i.kind, i.flags, i.at, i.version, i.rules, i.title, i.body
            FROM catchword.item i WHERE i.team = v_team AND i.source = ANY (v_seen)
                AND (a_since IS NULL OR i.at >= a_since) AND (a_until IS NULL OR i.at < a_until)
                AND (a_kinds IS NULL OR i.kind = ANY (a_kinds)) AND (NOT a_failed OR i.flags & 1 = 1)
                AND i.kind <> 10
            ORDER BY i.at DESC NULLS LAST, i.line DESC LIMIT a_most;
    ELSE
        RETURN QUERY SELECT i.source, i.line, i.part, i.until, i.kind, i.flags, i.at, i.version, i.rules, i.title, i.body
            FROM catchword.item i WHERE i.team = v_team AND i.words @@ v_query AND i.source = ANY (v_seen)
                AND (a_since IS NULL OR i.at >= a_since) AND (a_until IS NULL OR i.at < a_until)
                AND (a_kinds IS NULL OR i.kind = ANY (a_kinds)) AND (NOT a_failed OR i.flags & 1 = 1)
                AND i.kind <> 10
            ORDER BY i.at DESC NULLS LAST, i.line DESC LIMIT a_most;
    END IF;
END $$;

-- In how many items a word is that may be read, counted up to `a_most`.
CREATE FUNCTION catchword.occurrences(a_query text, a_most bigint) RETURNS bigint
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = catchword, pg_temp SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
    v_team text := catchword.my_team();
    v_query tsquery := to_tsquery('simple', a_query);
BEGIN
    RETURN (SELECT count(*) FROM (SELECT 1 FROM catchword.item i
        JOIN catchword.source s ON s.team = i.team AND s.source = i.source
        WHERE i.team = v_team AND s.team = v_team AND i.words @@ v_query
            AND (s.person = session_user OR s.share = 'team') LIMIT a_most) AS seen);
END $$;

-- Forgets what is one's own, or as an administrator anybody's; the number of items. What a text tombstone means, clients
-- do: they mask and push again.
CREATE FUNCTION catchword.forget(a_id text, a_kind smallint, a_value text, a_at bigint, a_for_all boolean) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = catchword, pg_temp AS $$
DECLARE
    v_team text := catchword.my_team();
    v_sources bytea[];
    v_count bigint;
BEGIN
    IF v_team IS NULL THEN RAISE EXCEPTION 'you are not in a team of this archive'; END IF;
    IF a_for_all AND NOT catchword.is_admin() THEN RAISE EXCEPTION 'only an administrator forgets for everybody'; END IF;
    INSERT INTO catchword.tombstone (team, person, id, kind, value, at, for_all)
        VALUES (v_team, session_user, a_id, a_kind, a_value, a_at, a_for_all) ON CONFLICT (team, person, id) DO NOTHING;
    SELECT array_agg(s.source) INTO v_sources
        FROM catchword.source s LEFT JOIN catchword.about a ON a.team = s.team AND a.source = s.source
        WHERE s.team = v_team AND (s.person = session_user OR a_for_all)
            AND ((a_kind = 1 AND s.mark = a_value) OR (a_kind = 2 AND a.project_key = a_value)
                OR (a_kind = 4 AND s.last_at < a_value::bigint));
    DELETE FROM catchword.item WHERE team = v_team AND source = ANY (v_sources);
    GET DIAGNOSTICS v_count = ROW_COUNT;
    DELETE FROM catchword.about WHERE team = v_team AND source = ANY (v_sources);
    DELETE FROM catchword.source WHERE team = v_team AND source = ANY (v_sources);
    RETURN v_count;
END $$;

-- What the machines of whoever is logged in must forget. Retention on the server is not for them.
CREATE FUNCTION catchword.tombstones() RETURNS TABLE (kind smallint, value text, at bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = catchword, pg_temp AS $$
    SELECT t.kind, t.value, t.at FROM catchword.tombstone t
    WHERE t.team = catchword.my_team() AND (t.person = session_user OR (t.for_all AND t.kind <> 4))
$$;

-- Items (each once, on however many machines), sessions and machines of what may be seen, and tombstones.
CREATE FUNCTION catchword.status() RETURNS bigint[]
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = catchword, pg_temp AS $$
DECLARE
    v_team text := catchword.my_team();
BEGIN
    RETURN ARRAY[
        (SELECT count(*) FROM (SELECT DISTINCT s.client, s.session, s.thread, i.line, i.part, i.hash
            FROM catchword.item i JOIN catchword.source s ON s.team = i.team AND s.source = i.source
            WHERE i.team = v_team AND s.team = v_team AND (s.person = session_user OR s.share = 'team')) AS items),
        (SELECT count(DISTINCT s.session) FROM catchword.source s WHERE s.team = v_team),
        (SELECT count(DISTINCT s.machine) FROM catchword.source s WHERE s.team = v_team),
        (SELECT count(*) FROM catchword.tombstone t WHERE t.team = v_team)];
END $$;

-- The schema that the tables have; 0 for a stranger.
CREATE FUNCTION catchword.version() RETURNS integer
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = catchword, pg_temp AS $$
    SELECT coalesce(max(v.version), 0) FROM catchword.schema_version v WHERE v.team = catchword.my_team()
$$;

-- Own items on whatever machine that were masked before a text was forgotten or by older rules: for the client to mask.
CREATE FUNCTION catchword.mask(a_source bytea, a_line bigint, a_part bigint, a_rules integer, a_hash bytea, a_title text,
    a_body text, a_words text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = catchword, pg_temp AS $$
    UPDATE catchword.item SET rules = a_rules, hash = a_hash, title = a_title, body = a_body,
        words = strip(to_tsvector('simple', a_words))
    WHERE team = catchword.my_team() AND source = a_source AND line = a_line AND part = a_part
        AND EXISTS (SELECT 1 FROM catchword.source s WHERE s.team = catchword.my_team() AND s.source = a_source
            AND (s.person = session_user OR catchword.is_admin()))
$$;

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA catchword FROM PUBLIC;
GRANT USAGE ON SCHEMA catchword TO catchword_reader;
GRANT SELECT ON catchword.source TO catchword_reader;
GRANT EXECUTE ON FUNCTION catchword.my_team, catchword.is_admin, catchword.sources, catchword.items, catchword.find,
    catchword.occurrences, catchword.tombstones, catchword.status, catchword.version TO catchword_reader;
GRANT EXECUTE ON FUNCTION catchword.append, catchword.forget, catchword.mask TO catchword_writer;

RESET ROLE;
