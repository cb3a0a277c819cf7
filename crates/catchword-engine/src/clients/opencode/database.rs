//! How to ask the client's database for a session, in `SQL`.
//!
//! The table `event` is a log that only grows: every change of a message or a part is a row with the whole of it, numbered
//! from 0 in each session. The other tables have only the latest state, so a part that changes there would be read too
//! early or twice. Of them come what a row lacks: the session's folder and parent, and who wrote the message.

use crate::clients::Database;

/// The database at a path, whose rows name the client.
pub const fn database(file: &'static str, rows: &'static str) -> Database {
    Database { file, sessions: SESSIONS, extent: EXTENT, rows }
}

/// Ids of sessions, and whether each is a subagent's.
const SESSIONS: &str = "SELECT s.id, s.parent_id IS NOT NULL FROM session s
     WHERE EXISTS (SELECT 1 FROM event_sequence q WHERE q.aggregate_id = s.id)";

const EXTENT: &str = "SELECT q.seq + 1, coalesce(s.time_updated, 0) FROM event_sequence q
     LEFT JOIN session s ON s.id = q.aggregate_id WHERE q.aggregate_id = ?1";

/// A row as a line, with the name of the client. Parts that are still being made are left out: the last row of each has all
/// of it. A message that the person took back is no longer in its table; the log still says who wrote it.
macro_rules! rows {
    ($client:literal) => {
        concat!(
            "WITH log AS (
               SELECT seq, type, data,
                      coalesce(data ->> '$.part.messageID', data ->> '$.messageID') AS message,
                      coalesce(data ->> '$.part.state.status', '') IN ('pending', 'running') AS is_unfinished
               FROM event WHERE aggregate_id = ?1 AND seq >= ?2 ORDER BY seq LIMIT ?3)
             SELECT log.seq, CASE WHEN log.is_unfinished THEN '{}' ELSE json_object(
                 'client', '",
            $client,
            "', 'event', log.type, 'session', ?1, 'parent', s.parent_id, 'cwd', s.directory,
                 'role', coalesce(m.data ->> '$.role', (
                     SELECT w.data ->> '$.info.role' FROM event w
                     WHERE w.aggregate_id = ?1 AND w.type = 'message.updated.1' AND log.message IS NOT NULL
                       AND w.data ->> '$.info.id' = log.message LIMIT 1)),
                 'typed', log.type LIKE 'message.removed.%' AND EXISTS (
                     SELECT 1 FROM event w
                     WHERE w.aggregate_id = ?1 AND w.type = 'message.part.updated.1'
                       AND w.data ->> '$.part.messageID' = log.message AND w.data ->> '$.part.type' = 'text'
                       AND coalesce(w.data ->> '$.part.synthetic', 0) = 0
                       AND w.data -> '$.part.metadata.catchword_command' IS NULL),
                 'mode', m.data ->> '$.mode',
                 'failed', json_type(m.data, '$.error') IS NOT NULL,
                 'auto', (SELECT p.data ->> '$.auto' FROM part p
                     WHERE p.message_id = m.data ->> '$.parentID' AND p.data ->> '$.type' = 'compaction'
                       AND m.data ->> '$.mode' = 'compaction'),
                 'data', json(log.data)) END
             FROM log LEFT JOIN session s ON s.id = ?1 LEFT JOIN message m ON m.id = log.message ORDER BY log.seq"
        )
    };
}
pub(crate) use rows;
