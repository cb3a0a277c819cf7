//! The SQL that sets an archive up and brings an older one up to date. Nothing of it runs on a push.

/// The schema that this version knows.
pub const SCHEMA_VERSION: i32 = 4;
/// The tables and functions of the first schema, and the steps to each later one, for every database that speaks
/// PostgreSQL.
pub const SCHEMAS: [&str; SCHEMA_VERSION as usize] = [
    include_str!("../schema/1.sql"),
    include_str!("../schema/2.sql"),
    include_str!("../schema/3.sql"),
    include_str!("../schema/4.sql"),
];
const POSTGRES_ONLY: &str = include_str!("../schema/postgres-only.sql");

/// Everything that `archive init` runs. Whoever runs it becomes an administrator.
pub fn setup_sql(team: &str) -> String {
    let team = literal(team);
    format!(
        "{}\n{POSTGRES_ONLY}\n-- The team, and whoever runs this as its administrator.\n\
         INSERT INTO catchword.schema_version (team, version) VALUES ({team}, {SCHEMA_VERSION});\n\
         INSERT INTO catchword.person (team, name) VALUES ({team}, session_user);\n\
         GRANT catchword_admin TO CURRENT_USER;\n",
        SCHEMAS.join("\n")
    )
}

/// What brings an archive with an older schema up to date, for whoever set it up.
pub fn migration_sql(from: i32) -> String {
    let steps = SCHEMAS.iter().skip(usize::try_from(from).unwrap_or(0));
    steps.copied().collect::<Vec<_>>().join("\n")
}

/// What lets a person in.
pub fn person_sql(team: &str, name: &str, is_reader: bool) -> String {
    let role = identifier(name);
    let group = if is_reader { "catchword_reader" } else { "catchword_writer" };
    format!(
        "CREATE ROLE {role} LOGIN;\n\\password {role}\nGRANT {group} TO {role};\n\
         INSERT INTO catchword.person (team, name) VALUES ({}, {});\n",
        literal(team),
        literal(name)
    )
}

fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

fn identifier(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
