-- Schema 2: questions with some of the words, and what machines are called.
--
-- The rules of schema 1 hold. Several words are one query each, put together by what was found, because not every
-- database can look up several at once.

SET ROLE catchword_owner;

-- The best items with any of the words (`a_terms`, one query each, as `to_tsquery` takes it) that may be read and match the
-- filter; not of the projects in `a_without`. A word weighs more the fewer of `a_per_term` items it was found in; `counts`
-- has in how many. Each word is looked up by itself: a rare one in the index of words, a common one among the newest.
CREATE FUNCTION catchword.find_any(a_terms text[], a_since bigint, a_until bigint, a_kinds smallint[], a_failed boolean,
    a_session text, a_project text, a_without text[], a_per_term bigint, a_most bigint)
RETURNS TABLE (source bytea, line bigint, part bigint, until bigint, kind smallint, flags smallint, at bigint,
    version bigint, rules integer, title text, body text, counts bigint[])
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = catchword, pg_temp SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
    v_team text := catchword.my_team();
    v_seen bytea[];
    v_query tsquery;
    v_term text;
    v_weight float8;
    v_counts bigint[] := '{}';
    v_sources bytea[] := '{}';
    v_lines bigint[] := '{}';
    v_parts bigint[] := '{}';
    v_weights float8[] := '{}';
    v_found_sources bytea[];
    v_found_lines bigint[];
    v_found_parts bigint[];
BEGIN
    SELECT array_agg(s.source) INTO v_seen
        FROM catchword.source s LEFT JOIN catchword.about a ON a.team = s.team AND a.source = s.source
        WHERE s.team = v_team AND (s.person = session_user OR s.share = 'team')
            AND (a_session IS NULL OR starts_with(s.session, a_session))
            AND (a_project IS NULL OR position(a_project IN lower(a.project)) > 0)
            AND (a_without IS NULL OR a.project_key IS NULL OR a.project_key <> ALL (a_without));
    FOREACH v_term IN ARRAY a_terms LOOP
        v_query := to_tsquery('simple', v_term);
        SELECT array_agg(f.source), array_agg(f.line), array_agg(f.part)
            INTO v_found_sources, v_found_lines, v_found_parts
            FROM (SELECT i.source, i.line, i.part FROM catchword.item i
                WHERE i.team = v_team AND i.words @@ v_query AND i.source = ANY (v_seen)
                    AND (a_since IS NULL OR i.at >= a_since) AND (a_until IS NULL OR i.at < a_until)
                    AND (a_kinds IS NULL OR i.kind = ANY (a_kinds)) AND (NOT a_failed OR i.flags & 1 = 1)
                    AND i.kind <> 10
                ORDER BY i.at DESC NULLS LAST, i.line DESC LIMIT a_per_term) AS f;
        v_counts := v_counts || coalesce(cardinality(v_found_lines), 0)::bigint;
        CONTINUE WHEN v_found_lines IS NULL;
        v_weight := ln(2.0 * a_per_term / (cardinality(v_found_lines) + 1.0));
        v_sources := v_sources || v_found_sources;
        v_lines := v_lines || v_found_lines;
        v_parts := v_parts || v_found_parts;
        v_weights := v_weights || array_fill(v_weight, ARRAY[cardinality(v_found_lines)]);
    END LOOP;
    RETURN QUERY SELECT i.source, i.line, i.part, i.until, i.kind, i.flags, i.at, i.version, i.rules, i.title, i.body,
            v_counts
        FROM (SELECT u.source, u.line, u.part, sum(u.weight) AS weight
            FROM unnest(v_sources, v_lines, v_parts, v_weights) AS u(source, line, part, weight)
            GROUP BY u.source, u.line, u.part ORDER BY sum(u.weight) DESC, u.line DESC LIMIT a_most) AS best
        JOIN catchword.item i ON i.team = v_team AND i.source = best.source AND i.line = best.line AND i.part = best.part
        ORDER BY best.weight DESC;
END $$;

-- What people call the machines whose words may be read.
CREATE FUNCTION catchword.machines() RETURNS TABLE (machine text, name text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = catchword, pg_temp AS $$
    SELECT m.machine, m.name FROM catchword.machine m
    WHERE m.team = catchword.my_team() AND m.name IS NOT NULL AND (m.person = session_user OR m.machine IN
        (SELECT s.machine FROM catchword.source s WHERE s.team = catchword.my_team() AND s.share = 'team'))
$$;

REVOKE ALL ON FUNCTION catchword.find_any, catchword.machines FROM PUBLIC;
GRANT EXECUTE ON FUNCTION catchword.find_any, catchword.machines TO catchword_reader;
UPDATE catchword.schema_version SET version = 2 WHERE team IS NOT NULL;

RESET ROLE;
