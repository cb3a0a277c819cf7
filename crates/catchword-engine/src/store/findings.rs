//! The rows of `finding`: what the audit found in a compaction's summary.

use rusqlite::{Connection, params};

use super::StoreError;
use crate::audit::Audit;
use crate::model::entry::Place;
use crate::model::finding::{Finding, FindingKind, FindingSubject};

/// Replaces what was found before.
pub(super) fn write(connection: &Connection, compaction: i64, audit: &Audit) -> Result<(), StoreError> {
    connection.execute("DELETE FROM finding WHERE compaction = ?1", [compaction])?;
    connection.execute(
        "UPDATE compaction SET audited = ?2 WHERE no = ?1",
        params![compaction, audit.of.cast_signed()],
    )?;
    let sql = "INSERT INTO finding (compaction, no, kind, fact, text, line, summary_quote, confidence, told)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 1, 1)";
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
        ])?;
    }
    Ok(())
}

/// The audit of the summary with this hash. Kinds that only a newer version knows are left out, and so is what an older
/// one was not sure of.
pub(super) fn read(
    connection: &Connection,
    compaction: i64,
    audited: Option<i64>,
) -> Result<Option<Audit>, StoreError> {
    let Some(of) = audited.map(i64::cast_unsigned) else { return Ok(None) };
    let sql = "SELECT kind, fact, text, line, summary_quote FROM finding WHERE compaction = ?1 AND told ORDER BY no";
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
                summary_at: None,
            });
        }
    }
    Ok(Some(Audit { of, findings }))
}
