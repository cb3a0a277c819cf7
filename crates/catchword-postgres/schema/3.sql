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

-- What one's own machine is called from now on. One that has pushed nothing yet gets its name with its first push.
CREATE FUNCTION catchword.name_machine(a_machine text, a_name text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = catchword, pg_temp AS $$
    UPDATE catchword.machine SET name = a_name
    WHERE team = catchword.my_team() AND machine = a_machine AND person = session_user
        AND name IS DISTINCT FROM a_name
$$;

REVOKE ALL ON FUNCTION catchword.compactions, catchword.name_machine FROM PUBLIC;
GRANT EXECUTE ON FUNCTION catchword.compactions TO catchword_reader;
GRANT EXECUTE ON FUNCTION catchword.name_machine TO catchword_writer;
UPDATE catchword.schema_version SET version = 3 WHERE team IS NOT NULL;

RESET ROLE;
