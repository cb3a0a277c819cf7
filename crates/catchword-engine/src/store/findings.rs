//! What the audit found in a compaction's summary.

use rusqlite::{Connection, params};

use super::{Store, StoreError};
use crate::audit::Audit;
use crate::model::entry::Place;
use crate::model::finding::{Finding, FindingKind, FindingSubject};

/// What a compaction has so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UnderWay {
    no: i64,
    /// Hash of the summary that its brief was made against, where that was audited.
    pub audited: Option<u64>,
    /// What the person is told of that; empty where that is nothing.
    pub line: Option<String>,
}

impl Store {
    /// The compaction of a session that is not over.
    pub fn under_way(&self, session: &str) -> Result<Option<UnderWay>, StoreError> {
        let Some(latest) = super::compaction::latest(&self.connection, session)? else { return Ok(None) };
        let sql = "SELECT audited, for_person FROM compaction WHERE no = ?1";
        let under_way = self.connection.query_row(sql, [latest.no], |row| {
            let audited = row.get::<_, Option<i64>>(0)?.map(i64::cast_unsigned);
            Ok(UnderWay { no: latest.no, audited, line: row.get(1)? })
        })?;
        Ok(Some(under_way))
    }

    /// How many differences between its summary and the record are for the agent.
    pub fn told(&self, under_way: &UnderWay) -> Result<usize, StoreError> {
        let sql = "SELECT count(*) FROM finding WHERE compaction = ?1 AND told";
        let told: i64 = self.connection.query_row(sql, [under_way.no], |row| row.get(0))?;
        Ok(told as usize)
    }

    /// The brief that was given, and the audit of the summary it was made against.
    pub fn given(&self, under_way: &UnderWay) -> Result<(Option<String>, Option<Audit>), StoreError> {
        let sql = "SELECT brief FROM compaction WHERE no = ?1";
        let brief = self.connection.query_row(sql, [under_way.no], |row| row.get(0))?;
        let audited = under_way.audited.map(u64::cast_signed);
        Ok((brief, read(&self.connection, under_way.no, audited)?))
    }
}

/// Puts an audit in the place of whatever was found before.
pub(super) fn write(connection: &Connection, compaction: i64, audit: &Audit) -> Result<(), StoreError> {
    connection.execute("DELETE FROM finding WHERE compaction = ?1", [compaction])?;
    connection.execute(
        "UPDATE compaction SET audited = ?2 WHERE no = ?1",
        params![compaction, audit.of.cast_signed()],
    )?;
    let sql = "INSERT INTO finding (compaction, no, kind, fact, text, line, summary_quote, confidence, told)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    let mut statement = connection.prepare(sql)?;
    for (no, finding) in audit.findings.iter().enumerate() {
        statement.execute(params![
            compaction,
            no as i64,
            finding.kind.name(),
            finding.fact.name(),
            finding.text,
            finding.place.map(|p| p.0),
            finding.summary_quote,
            finding.confidence,
            finding.is_told(),
        ])?;
    }
    Ok(())
}

/// The audit of the summary with this hash. Kinds that only a newer version knows are left out.
pub(super) fn read(
    connection: &Connection,
    compaction: i64,
    audited: Option<i64>,
) -> Result<Option<Audit>, StoreError> {
    let Some(of) = audited.map(i64::cast_unsigned) else { return Ok(None) };
    let sql = "SELECT kind, fact, text, line, summary_quote, confidence FROM finding WHERE compaction = ?1 ORDER BY no";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([compaction])?;
    let mut findings = Vec::new();
    while let Some(row) = rows.next()? {
        let (kind, fact): (String, String) = (row.get(0)?, row.get(1)?);
        if let (Some(kind), Some(fact)) = (FindingKind::named(&kind), FindingSubject::named(&fact)) {
            findings.push(Finding {
                kind,
                fact,
                text: row.get(2)?,
                place: row.get::<_, Option<u32>>(3)?.map(Place),
                summary_quote: row.get(4)?,
                confidence: row.get(5)?,
            });
        }
    }
    Ok(Some(Audit { of, findings }))
}
