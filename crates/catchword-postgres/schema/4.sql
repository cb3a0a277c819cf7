-- Schema 4: nothing overtakes what is forgotten.
--
-- The rules of schema 1 hold. A push holds its person's row while it records, so that `forget` waits for it and then sees
-- what it recorded: before, a push that had looked at the tombstones could record after them.

SET ROLE catchword_owner;

-- As in schema 1, behind the lock.
CREATE OR REPLACE FUNCTION catchword.append(a_source bytea, a_machine text, a_machine_name text, a_client text,
    a_session text, a_thread text, a_mark text, a_share text, a_project_key text, a_project text, a_title text, a_figures bigint[],
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
    PERFORM 1 FROM catchword.person p WHERE p.team = v_team AND p.name = session_user FOR SHARE;
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

-- As in schema 1, behind the lock. What a person forgot, an administrator can forget for everybody later.
CREATE OR REPLACE FUNCTION catchword.forget(a_id text, a_kind smallint, a_value text, a_at bigint, a_for_all boolean) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = catchword, pg_temp AS $$
DECLARE
    v_team text := catchword.my_team();
    v_sources bytea[];
    v_count bigint;
BEGIN
    IF v_team IS NULL THEN RAISE EXCEPTION 'you are not in a team of this archive'; END IF;
    IF a_for_all AND NOT catchword.is_admin() THEN RAISE EXCEPTION 'only an administrator forgets for everybody'; END IF;
    PERFORM 1 FROM catchword.person p WHERE p.team = v_team AND (p.name = session_user OR a_for_all) ORDER BY p.name
        FOR UPDATE;
    INSERT INTO catchword.tombstone AS t (team, person, id, kind, value, at, for_all)
        VALUES (v_team, session_user, a_id, a_kind, a_value, a_at, a_for_all)
        ON CONFLICT (team, person, id) DO UPDATE SET for_all = t.for_all OR excluded.for_all;
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

-- What the machines of whoever is logged in must forget. Retention on the server is not for them, not even for those of
-- the administrator who ran it.
CREATE OR REPLACE FUNCTION catchword.tombstones() RETURNS TABLE (kind smallint, value text, at bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = catchword, pg_temp AS $$
    SELECT t.kind, t.value, t.at FROM catchword.tombstone t
    WHERE t.team = catchword.my_team() AND (t.person = session_user OR t.for_all) AND (t.kind <> 4 OR NOT t.for_all)
$$;

-- Own items on whatever machine that were masked before a text was forgotten or by older rules, and what is told about
-- their transcript, as the client masked them. The transcript begins anew, so that whoever fetched it fetches it again, and
-- its own machine sends it again.
DROP FUNCTION catchword.mask;
CREATE FUNCTION catchword.mask(a_source bytea, a_project text, a_title text, a_lines bigint[], a_parts bigint[],
    a_rules integer, a_hashes bytea[], a_titles text[], a_bodies text[], a_words text[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = catchword, pg_temp AS $$
DECLARE
    v_team text := catchword.my_team();
BEGIN
    UPDATE catchword.source SET generation = generation + 1
        WHERE team = v_team AND source = a_source AND person = session_user;
    IF NOT FOUND THEN RETURN; END IF;
    UPDATE catchword.about SET project = a_project, title = a_title WHERE team = v_team AND source = a_source;
    UPDATE catchword.item i SET rules = a_rules, hash = u.hash, title = u.title, body = u.body,
            words = strip(to_tsvector('simple', u.words))
        FROM unnest(a_lines, a_parts, a_hashes, a_titles, a_bodies, a_words) AS u(line, part, hash, title, body, words)
        WHERE i.team = v_team AND i.source = a_source AND i.line = u.line AND i.part = u.part;
END $$;

REVOKE ALL ON FUNCTION catchword.mask FROM PUBLIC;
GRANT EXECUTE ON FUNCTION catchword.mask TO catchword_writer;
UPDATE catchword.schema_version SET version = 4 WHERE team IS NOT NULL;

RESET ROLE;
