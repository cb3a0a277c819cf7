//! The shared archive: PostgreSQL behind the engine's [`Archive`].
//!
//! **Where it is used.** `sync`, `archive`, and `search` for what is not on this machine. No hook comes here.
//! **Who decides.** The server: every call is a function that looks at the login role (`schema/1.sql`). This crate translates.
//! **Words.** The words of an item are split and folded here as the local index does it, so that both find the same. The
//! server's index knows only which words an item has; phrases and columns are checked here.

mod address;
mod connect;
mod setup;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use catchword_engine::archive::asked::{SharedFound, SharedQuestion};
use catchword_engine::archive::history::indexed_columns;
use catchword_engine::archive::history::item::{HistoryItem, ItemKind};
use catchword_engine::archive::history::query::{Query, QueryTerm};
use catchword_engine::archive::history::terms::{folded, words};
use catchword_engine::archive::{
    Appended, Archive, ArchiveError, ArchiveStatus, ForgottenThing, ItemId, SharedBatch, SharedItem,
    SharedMatch, SharedSource, SharedWith, SourceFigures, SourceKey, SourcePosition, Tombstone, content_hash,
};
use catchword_engine::model::entry::Place;
use catchword_engine::model::event::is_named;
use catchword_engine::ops::search::COUNTED;
use catchword_engine::redact::{Mask, RULES};
use postgres::Row;

pub use address::{ArchiveAddress, is_loopback};
pub use connect::PostgresArchive;
pub use setup::{SCHEMA_VERSION, SCHEMAS, migration_sql, person_sql, setup_sql};

/// Longest word that is indexed: PostgreSQL leaves out longer ones, with a notice for each.
const LONGEST_WORD: usize = 1_000;
/// Items looked at for a phrase or a column, per item wanted: the server only knows which words are in an item.
const PER_MATCH: usize = 10;
/// Most items of a range of lines.
const LONGEST_RANGE: usize = 200;

/// The tables with something about sessions.
const TABLES: [&str; 5] = ["item", "about", "source", "machine", "tombstone"];

/// What the team may know of a person's work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PersonFigures {
    pub person: String,
    pub sessions: u64,
    pub machines: u64,
    /// Of all sessions together.
    pub figures: SourceFigures,
}

/// Identifies a transcript on the server.
fn source_id(key: &SourceKey) -> Vec<u8> {
    let text = [&key.machine, &key.client, &key.session, &key.thread].map(String::as_str).join("\u{1f}");
    blake3::hash(text.as_bytes()).as_bytes()[..16].to_vec()
}

/// PostgreSQL's texts have no zero bytes.
fn stored(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}

/// The words of an item, each once.
fn searched_words(item: &HistoryItem) -> String {
    let Some(columns) = indexed_columns(item) else { return String::new() };
    let mut all: Vec<String> = columns
        .iter()
        .flat_map(|text| words(text).map(|(_, word)| folded(word)))
        .filter(|word| word.len() <= LONGEST_WORD)
        .collect();
    all.sort_unstable();
    all.dedup();
    all.join(" ")
}

/// The query as `to_tsquery` takes it: every word, quoted. `None` if there are only filters; an error if no word is left.
fn expression(query: &Query) -> Result<Option<String>, ()> {
    if query.terms.is_empty() {
        return Ok(None);
    }
    let mut parts = Vec::new();
    for term in &query.terms {
        let all: Vec<String> = words(&term.text).map(|(_, word)| folded(word)).collect();
        let last = all.len().saturating_sub(1);
        for (at, word) in all.into_iter().enumerate().filter(|(_, word)| word.len() <= LONGEST_WORD) {
            let star = if term.prefix && at == last { ":*" } else { "" };
            parts.push(format!("'{}'{star}", word.replace(['\'', '\\'], "")));
        }
    }
    if parts.is_empty() { Err(()) } else { Ok(Some(parts.join(" & "))) }
}

fn line_number(number: i64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// An item in columns line, part, until, kind, flags, at, version, rules, title and body, from `first` on.
fn read_item(row: &Row, first: usize) -> Result<SharedItem, postgres::Error> {
    let flags: i16 = row.try_get(first + 4)?;
    Ok(SharedItem {
        version: row.try_get(first + 6)?,
        rules: row.try_get::<_, i32>(first + 7)?.unsigned_abs(),
        item: HistoryItem {
            place: Place(line_number(row.try_get(first)?)),
            part: line_number(row.try_get(first + 1)?),
            until: row.try_get::<_, Option<i64>>(first + 2)?.map(|line| Place(line_number(line))),
            kind: ItemKind::of(i64::from(row.try_get::<_, i16>(first + 3)?)).unwrap_or(ItemKind::Tool),
            failed: false,
            sub: false,
            author: None,
            at: row.try_get(first + 5)?,
            title: row.try_get(first + 8)?,
            body: row.try_get(first + 9)?,
            call: None,
        }
        .with_flags(i64::from(flags)),
    })
}

fn read_source(row: &Row) -> Result<(Vec<u8>, SharedSource), postgres::Error> {
    let count = |at: usize| Ok::<_, postgres::Error>(row.try_get::<_, i64>(at)?.unsigned_abs());
    let maybe =
        |at: usize| Ok::<_, postgres::Error>(row.try_get::<_, Option<i64>>(at)?.map(i64::unsigned_abs));
    let source = SharedSource {
        key: SourceKey {
            machine: row.try_get(0)?,
            client: row.try_get(1)?,
            session: row.try_get(2)?,
            thread: row.try_get(3)?,
        },
        reached: SourcePosition {
            generation: row.try_get(4)?,
            version: row.try_get(5)?,
            line: line_number(row.try_get(6)?),
            part: line_number(row.try_get(7)?),
        },
        person: row.try_get(8)?,
        share: SharedWith::of(row.try_get(9)?).unwrap_or(SharedWith::None),
        project_key: row.try_get(10)?,
        project: row.try_get(11)?,
        title: row.try_get(12)?,
        figures: SourceFigures {
            first_at: row.try_get(13)?,
            last_at: row.try_get(14)?,
            prompts: count(15)?,
            calls: count(16)?,
            compactions: count(17)?,
            tokens: maybe(18)?,
            lost: maybe(19)?,
            given_back: maybe(20)?,
        },
    };
    Ok((row.try_get(21)?, source))
}

fn position(at: SourcePosition) -> Vec<i64> {
    vec![at.generation, at.version, i64::from(at.line), i64::from(at.part)]
}

impl PostgresArchive {
    fn all_sources(&mut self) -> Result<Vec<(Vec<u8>, SharedSource)>, ArchiveError> {
        let rows = self.query("SELECT * FROM catchword.sources()", &[])?;
        let all: Vec<_> = rows.iter().map(read_source).collect::<Result<_, _>>().map_err(connect::failed)?;
        self.listed = all.iter().cloned().collect();
        Ok(all)
    }

    /// What is known of a transcript; asked again if that is what the caller has already.
    fn listed(
        &mut self,
        id: &[u8],
        after: Option<SourcePosition>,
    ) -> Result<Option<SharedSource>, ArchiveError> {
        if self.listed.get(id).is_none_or(|known| after == Some(known.reached)) {
            self.all_sources()?;
        }
        Ok(self.listed.get(id).cloned())
    }

    /// Items with all words of a query, but not of these projects; newest first.
    pub fn find_without(
        &mut self,
        query: &Query,
        projects: &[String],
        most: usize,
    ) -> Result<Vec<SharedMatch>, ArchiveError> {
        let Ok(expression) = expression(query) else { return Ok(Vec::new()) };
        let filter = &query.filter;
        let kinds: Vec<i16> = filter.kinds.iter().map(|kind| *kind as i16).collect();
        let kinds = (!kinds.is_empty()).then_some(kinds);
        let without = (!projects.is_empty()).then_some(projects);
        // Phrases and columns are checked here, so ask for more than is wanted.
        let asked = (most * PER_MATCH) as i64;
        let rows = self.query(
            "SELECT * FROM catchword.find($1, $2, $3, $4, $5, $6, $7, $8, $9)",
            &[
                &expression,
                &filter.since,
                &filter.until,
                &kinds,
                &filter.failed,
                &filter.session,
                &filter.project,
                &without,
                &asked,
            ],
        )?;
        self.matches(&rows, most, &|item| {
            let fits = || {
                indexed_columns(item)
                    .is_some_and(|columns| query.terms.iter().all(|term| term.is_in(&columns)))
            };
            query.terms.is_empty() || fits()
        })
    }

    /// Rows of a query as items, each once with all of its machines.
    fn matches(
        &mut self,
        rows: &[Row],
        most: usize,
        fits: &dyn Fn(&HistoryItem) -> bool,
    ) -> Result<Vec<SharedMatch>, ArchiveError> {
        if rows.is_empty() {
            return Ok(Vec::new());
        }
        let ids: BTreeSet<Vec<u8>> = rows.iter().filter_map(|row| row.try_get(0).ok()).collect();
        let ids: Vec<Vec<u8>> = ids.into_iter().collect();
        let listed = self.query("SELECT * FROM catchword.sources_of($1)", &[&ids])?;
        let sources: HashMap<Vec<u8>, SharedSource> =
            listed.iter().map(read_source).collect::<Result<_, _>>().map_err(connect::failed)?;
        let mut places: HashMap<ItemId, usize> = HashMap::new();
        let mut found: Vec<SharedMatch> = Vec::new();
        for row in rows {
            let item = read_item(row, 1).map_err(connect::failed)?.item;
            let Some(source) = row.try_get(0).ok().and_then(|id: Vec<u8>| sources.get(&id)) else { continue };
            if !fits(&item) {
                continue;
            }
            let id = ItemId::of(&source.key, &item);
            if let Some(at) = places.get(&id) {
                found[*at].sources.push(source.clone());
            } else if found.len() < most {
                places.insert(id, found.len());
                found.push(SharedMatch { sources: vec![source.clone()], item });
            }
        }
        Ok(found)
    }

    /// The best items with any of the words that tell something, in any form, but not of these projects; and in how many
    /// items each word is.
    fn find_any(
        &mut self,
        query: &Query,
        projects: &[String],
        most: usize,
    ) -> Result<(Vec<SharedMatch>, BTreeMap<String, usize>), ArchiveError> {
        // The index has words as they were written: all that begin like the stem.
        let words = query.content();
        let terms: Vec<String> =
            words.iter().map(|word| format!("'{}':*", word.replace(['\'', '\\'], ""))).collect();
        if terms.is_empty() {
            return Ok((Vec::new(), BTreeMap::new()));
        }
        let filter = &query.filter;
        let kinds: Vec<i16> = filter.kinds.iter().map(|kind| *kind as i16).collect();
        let rows = self.query(
            "SELECT * FROM catchword.find_any($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
            &[
                &terms,
                &filter.since,
                &filter.until,
                &(!kinds.is_empty()).then_some(kinds),
                &filter.failed,
                &filter.session,
                &filter.project,
                &(!projects.is_empty()).then_some(projects),
                &(COUNTED as i64),
                &(most as i64),
            ],
        )?;
        let counted = rows.first().map(|row| row.try_get::<_, Vec<i64>>(11)).transpose();
        let counted = counted.map_err(connect::failed)?.unwrap_or_default();
        let counts = words.into_iter().zip(counted.iter().map(|count| count.unsigned_abs() as usize));
        Ok((self.matches(&rows, most, &|_| true)?, counts.collect()))
    }

    /// Answers a question about what is not on the asking machine.
    pub fn answer(&mut self, question: &SharedQuestion) -> Result<SharedFound, ArchiveError> {
        let mut found = match question {
            SharedQuestion::Find { query, without, most } => self.found(query, without, *most)?,
            SharedQuestion::Lines { session, subagent, from, to } => {
                let matches = self.lines(session, subagent, *from, *to)?;
                SharedFound { matches, has_all: true, ..SharedFound::default() }
            }
            SharedQuestion::Compactions { session } => {
                let matches = self.compactions(session)?;
                SharedFound { matches, has_all: true, ..SharedFound::default() }
            }
        };
        if !found.matches.is_empty() {
            found.machines = self.machines()?;
        }
        Ok(found)
    }

    fn found(&mut self, query: &Query, without: &[String], most: usize) -> Result<SharedFound, ArchiveError> {
        let matches = self.find_without(query, without, most)?;
        let has_all = !matches.is_empty() || query.terms.is_empty();
        let (matches, counts) = if has_all {
            let counts = if matches.is_empty() { BTreeMap::new() } else { self.counts(query)? };
            (matches, counts)
        } else {
            self.find_any(query, without, most)?
        };
        Ok(SharedFound { matches, has_all, counts, ..SharedFound::default() })
    }

    /// In how many items each term is, counted as far as it tells something; in one question, because a server may be far.
    fn counts(&mut self, query: &Query) -> Result<BTreeMap<String, usize>, ArchiveError> {
        let alone = |term: &QueryTerm| {
            let alone = Query { terms: vec![term.clone()], ..Query::default() };
            Some((term.text.clone(), expression(&alone).ok()??))
        };
        let (texts, expressions): (Vec<String>, Vec<String>) = query.terms.iter().filter_map(alone).unzip();
        let sql = "SELECT u.at, catchword.occurrences(u.term, $2) FROM unnest($1::text[]) WITH ORDINALITY AS u(term, at)";
        let rows = self.query(sql, &[&expressions, &(COUNTED as i64)])?;
        let count = |row: &Row| {
            let at: i64 = row.try_get(0)?;
            Ok((texts[at as usize - 1].clone(), row.try_get::<_, i64>(1)?.unsigned_abs() as usize))
        };
        rows.iter().map(count).collect::<Result<_, postgres::Error>>().map_err(connect::failed)
    }

    /// The items of a session, by the start of its id, between two lines.
    fn lines(
        &mut self,
        session: &str,
        subagent: &str,
        from: u32,
        to: u32,
    ) -> Result<Vec<SharedMatch>, ArchiveError> {
        let sources = self.threads_of(session, subagent)?;
        let Some(first) = sources.first() else { return Ok(Vec::new()) };
        let items = self.items(&first.key, from, to, LONGEST_RANGE)?;
        Ok(items.into_iter().map(|item| SharedMatch { sources: sources.clone(), item }).collect())
    }

    /// The boundaries and summaries of a session, by the start of its id, in order.
    fn compactions(&mut self, session: &str) -> Result<Vec<SharedMatch>, ArchiveError> {
        let sources = self.threads_of(session, "")?;
        let Some(first) = sources.first() else { return Ok(Vec::new()) };
        let rows = self.query("SELECT * FROM catchword.compactions($1)", &[&source_id(&first.key)])?;
        let items: Vec<SharedItem> =
            rows.iter().map(|row| read_item(row, 0)).collect::<Result<_, _>>().map_err(connect::failed)?;
        // One machine's: another may have found something else.
        Ok(items
            .into_iter()
            .map(|one| SharedMatch { sources: vec![first.clone()], item: one.item })
            .collect())
    }

    /// The transcripts of one session, by the start of its id, one for each machine.
    fn threads_of(&mut self, session: &str, subagent: &str) -> Result<Vec<SharedSource>, ArchiveError> {
        let fits =
            |source: &SharedSource| is_named(&source.key.session, session) && source.key.thread == subagent;
        let sources: Vec<SharedSource> = self.sources()?.into_iter().filter(fits).collect();
        match sources.first() {
            Some(first) if sources.iter().any(|source| source.key.session != first.key.session) => {
                Err(ArchiveError::Refused(format!("several sessions there begin with {session}")))
            }
            _ => Ok(sources),
        }
    }

    /// The figures of the team, by person: they are everybody's to see, the words are not.
    pub fn figures(&mut self) -> Result<Vec<PersonFigures>, ArchiveError> {
        // A session that two machines have counts once.
        let sql = "WITH once AS (SELECT s.*, row_number() OVER (PARTITION BY s.person, s.client, s.session, s.thread
                    ORDER BY s.last_at DESC NULLS LAST, s.prompts DESC) = 1 AS counts
                FROM catchword.source s WHERE s.team = (SELECT catchword.my_team()))
            SELECT person, count(DISTINCT session), count(DISTINCT machine), max(last_at),
                sum(prompts) FILTER (WHERE counts)::bigint, sum(calls) FILTER (WHERE counts)::bigint,
                sum(compactions) FILTER (WHERE counts)::bigint, sum(tokens) FILTER (WHERE counts)::bigint,
                sum(lost) FILTER (WHERE counts)::bigint, sum(given_back) FILTER (WHERE counts)::bigint
            FROM once GROUP BY person ORDER BY person";
        let read = |row: &Row| {
            let maybe = |at| row.try_get::<_, Option<i64>>(at).map(|count| count.map(i64::unsigned_abs));
            let count = |at| Ok::<_, postgres::Error>(maybe(at)?.unwrap_or_default());
            Ok(PersonFigures {
                person: row.try_get(0)?,
                sessions: count(1)?,
                machines: count(2)?,
                figures: SourceFigures {
                    first_at: None,
                    last_at: row.try_get(3)?,
                    prompts: count(4)?,
                    calls: count(5)?,
                    compactions: count(6)?,
                    tokens: maybe(7)?,
                    lost: maybe(8)?,
                    given_back: maybe(9)?,
                },
            })
        };
        self.query(sql, &[])?.iter().map(read).collect::<Result<_, _>>().map_err(connect::failed)
    }

    /// The team's sessions whose ids begin like this.
    pub fn sessions_named(&mut self, start: &str) -> Result<Vec<String>, ArchiveError> {
        let sql = "SELECT DISTINCT session FROM catchword.source
            WHERE team = (SELECT catchword.my_team()) AND starts_with(session, $1) ORDER BY session";
        let rows = self.query(sql, &[&start])?;
        rows.iter().map(|row| row.try_get(0)).collect::<Result<_, _>>().map_err(connect::failed)
    }

    /// Tells what this machine is called from now on.
    pub fn name_machine(&mut self, machine: &str, name: &str) -> Result<(), ArchiveError> {
        self.query("SELECT catchword.name_machine($1, $2)", &[&machine, &stored(name)])?;
        Ok(())
    }

    /// What people call their machines, by id.
    pub fn machines(&mut self) -> Result<BTreeMap<String, String>, ArchiveError> {
        let rows = self.query("SELECT machine, name FROM catchword.machines()", &[])?;
        rows.iter()
            .map(|row| Ok((row.try_get(0)?, row.try_get(1)?)))
            .collect::<Result<_, postgres::Error>>()
            .map_err(connect::failed)
    }

    /// Replaces texts on the server: of some items of a transcript of one's own, on whatever machine, and of what is told
    /// about it. All or nothing.
    pub fn mask(&mut self, source: &SharedSource, items: &[HistoryItem]) -> Result<(), ArchiveError> {
        let text = |text: &Option<String>| text.as_deref().map(stored);
        self.query(
            "SELECT catchword.mask($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
            &[
                &source_id(&source.key),
                &text(&source.project),
                &text(&source.title),
                &items.iter().map(|item| i64::from(item.place.0)).collect::<Vec<_>>(),
                &items.iter().map(|item| i64::from(item.part)).collect::<Vec<_>>(),
                &(RULES as i32),
                &items.iter().map(|item| content_hash(item).to_vec()).collect::<Vec<_>>(),
                &items.iter().map(|item| stored(&item.title)).collect::<Vec<_>>(),
                &items.iter().map(|item| stored(&item.body)).collect::<Vec<_>>(),
                &items.iter().map(searched_words).collect::<Vec<_>>(),
            ],
        )?;
        Ok(())
    }

    /// The login role of whoever is connected, also where the address names none.
    pub fn person(&mut self) -> Result<String, ArchiveError> {
        let rows = self.query("SELECT session_user::text", &[])?;
        Ok(rows.first().and_then(|row| row.try_get(0).ok()).unwrap_or_default())
    }

    /// The server's clock, in milliseconds since 1970: what concerns everybody does not hang on one machine's.
    pub fn now(&mut self) -> Result<i64, ArchiveError> {
        let rows = self.query("SELECT (extract(epoch FROM now()) * 1000)::bigint", &[])?;
        rows.first().map_or(Ok(0), |row| row.try_get(0)).map_err(connect::failed)
    }

    /// Rewrites all tables, so that no byte of a deleted row is left; an error if the server did not do it: whoever may not
    /// is only warned.
    pub fn rewrite(&mut self) -> Result<(), ArchiveError> {
        for table in TABLES {
            let before = self.file_of(table)?;
            self.run(&format!("VACUUM FULL catchword.{table}"))?;
            if self.file_of(table)? == before {
                return Err(ArchiveError::Refused(format!(
                    "the server did not rewrite catchword.{table}: the tables belong to catchword_owner, so whoever ran \
                     `catchword archive init` has to do it, or `GRANT catchword_owner` to you"
                )));
            }
        }
        Ok(())
    }

    /// The file that a table is in: a rewritten one is in another.
    fn file_of(&mut self, table: &str) -> Result<u32, ArchiveError> {
        let rows =
            self.query("SELECT pg_relation_filenode($1::text::regclass)", &[&format!("catchword.{table}")])?;
        rows.first().map_or(Ok(0), |row| row.try_get(0)).map_err(connect::failed)
    }

    /// Forgets for everybody; only an administrator may.
    pub fn forget_for_all(&mut self, what: &Tombstone) -> Result<usize, ArchiveError> {
        self.forget_as(what, true)
    }

    fn forget_as(&mut self, what: &Tombstone, for_all: bool) -> Result<usize, ArchiveError> {
        let (kind, value) = what.what.to_columns();
        let rows = self.query(
            "SELECT catchword.forget($1, $2, $3, $4, $5)",
            &[&what.what.id(), &kind, &value, &what.at, &for_all],
        )?;
        let count = rows.first().map(|row| row.try_get::<_, i64>(0)).transpose().map_err(connect::failed)?;
        Ok(count.unwrap_or_default().unsigned_abs() as usize)
    }

    fn items_of(
        &mut self,
        source: &SourceKey,
        after: &[i64],
        range: Option<&[i64]>,
        most: usize,
    ) -> Result<Vec<SharedItem>, ArchiveError> {
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        let sql = "SELECT * FROM catchword.items($1, $2, $3, $4)";
        let rows = self.query(sql, &[&source_id(source), &after, &range, &most])?;
        rows.iter().map(|row| read_item(row, 0)).collect::<Result<_, _>>().map_err(connect::failed)
    }
}

impl Archive for PostgresArchive {
    fn sources(&mut self) -> Result<Vec<SharedSource>, ArchiveError> {
        Ok(self.all_sources()?.into_iter().map(|(_, source)| source).collect())
    }

    fn since(
        &mut self,
        source: &SourceKey,
        after: Option<SourcePosition>,
        most: usize,
    ) -> Result<Option<SharedBatch>, ArchiveError> {
        let known = self.listed(&source_id(source), after)?;
        let Some(known) = known.filter(|known| after != Some(known.reached)) else { return Ok(None) };
        let here = after.filter(|after| after.generation == known.reached.generation);
        let start = here.map_or(vec![0, 0, 0], |after| position(after)[1..].to_vec());
        let mut items = self.items_of(source, &start, None, most + 1)?;
        let more = items.len() > most;
        items.truncate(most);
        let to = match items.last().filter(|_| more) {
            Some(last) => SourcePosition {
                generation: known.reached.generation,
                version: last.version,
                line: last.item.place.0,
                part: last.item.part,
            },
            None => known.reached,
        };
        Ok(Some(SharedBatch { source: known, from: after, to, items }))
    }

    fn append(&mut self, batch: &SharedBatch) -> Result<Appended, ArchiveError> {
        let (source, figures) = (&batch.source, &batch.source.figures);
        let number = |count: Option<u64>| count.map(|count| count as i64);
        let counts: Vec<Option<i64>> = vec![
            figures.first_at,
            figures.last_at,
            Some(figures.prompts as i64),
            Some(figures.calls as i64),
            Some(figures.compactions as i64),
            number(figures.tokens),
            number(figures.lost),
            number(figures.given_back),
        ];
        let text = |text: &Option<String>| text.as_deref().map(stored);
        let items = &batch.items;
        let lines = |of: &dyn Fn(&SharedItem) -> i64| items.iter().map(of).collect::<Vec<i64>>();
        let untils: Vec<Option<i64>> =
            items.iter().map(|shared| shared.item.until.map(|place| i64::from(place.0))).collect();
        let ats: Vec<Option<i64>> = items.iter().map(|shared| shared.item.at).collect();
        let rows = self.query(
            "SELECT catchword.append($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19,
                $20, $21, $22, $23, $24, $25, $26)",
            &[
                &source_id(&source.key),
                &source.key.machine,
                &self.machine_name(),
                &source.key.client,
                &source.key.session,
                &source.key.thread,
                &format!("{:016x}", Mask::session_hash(&source.key.session)),
                &source.share.name(),
                &source.project_key,
                &text(&source.project),
                &text(&source.title),
                &counts,
                &batch.from.map(position),
                &position(batch.to),
                &lines(&|shared| i64::from(shared.item.place.0)),
                &lines(&|shared| i64::from(shared.item.part)),
                &untils,
                &items.iter().map(|shared| shared.item.kind as i16).collect::<Vec<_>>(),
                &items.iter().map(|shared| shared.item.flags() as i16).collect::<Vec<_>>(),
                &ats,
                &lines(&|shared| shared.version),
                &items.iter().map(|shared| shared.rules as i32).collect::<Vec<_>>(),
                &items.iter().map(|shared| content_hash(&shared.item).to_vec()).collect::<Vec<_>>(),
                &items.iter().map(|shared| stored(&shared.item.title)).collect::<Vec<_>>(),
                &items.iter().map(|shared| stored(&shared.item.body)).collect::<Vec<_>>(),
                &items.iter().map(|shared| searched_words(&shared.item)).collect::<Vec<_>>(),
            ],
        )?;
        let told: Option<String> = rows.first().and_then(|row| row.try_get(0).ok());
        match told.as_deref() {
            Some("recorded") => Ok(Appended::Recorded),
            Some("forgotten") => Ok(Appended::Forgotten),
            _ => {
                let sources = self.sources()?;
                let reached =
                    sources.into_iter().find(|known| known.key == source.key).map(|known| known.reached);
                Ok(Appended::Elsewhere(reached))
            }
        }
    }

    fn find(&mut self, query: &Query, most: usize) -> Result<Vec<SharedMatch>, ArchiveError> {
        self.find_without(query, &[], most)
    }

    fn items(
        &mut self,
        source: &SourceKey,
        from: u32,
        to: u32,
        most: usize,
    ) -> Result<Vec<HistoryItem>, ArchiveError> {
        let range = [i64::from(from), i64::from(to)];
        let items = self.items_of(source, &[0, 0, 0], Some(&range), most)?;
        Ok(items.into_iter().map(|shared| shared.item).collect())
    }

    fn forget(&mut self, what: &Tombstone) -> Result<usize, ArchiveError> {
        self.forget_as(what, false)
    }

    fn tombstones(&mut self) -> Result<Vec<Tombstone>, ArchiveError> {
        let rows = self.query("SELECT kind, value, at FROM catchword.tombstones()", &[])?;
        let mut stones = Vec::new();
        for row in &rows {
            let kind: i16 = row.try_get(0).map_err(connect::failed)?;
            let value: String = row.try_get(1).map_err(connect::failed)?;
            let at = row.try_get(2).map_err(connect::failed)?;
            // What a newer version forgets, this one cannot.
            stones.extend(ForgottenThing::of_columns(kind, &value).map(|what| Tombstone { what, at }));
        }
        Ok(stones)
    }

    fn status(&mut self) -> Result<ArchiveStatus, ArchiveError> {
        let rows = self.query("SELECT catchword.status()", &[])?;
        let counts: Vec<i64> = rows.first().and_then(|row| row.try_get(0).ok()).unwrap_or_default();
        let count = |at: usize| counts.get(at).copied().unwrap_or_default().unsigned_abs();
        Ok(ArchiveStatus { items: count(0), sessions: count(1), machines: count(2), tombstones: count(3) })
    }
}
