//! The SQL that sets an archive up. Nothing of it runs on a push.

/// The schema that this version knows.
pub const SCHEMA_VERSION: i32 = 1;
/// The tables and functions, for every database that speaks PostgreSQL.
pub const SCHEMA: &str = include_str!("../schema/1.sql");
const POSTGRES_ONLY: &str = include_str!("../schema/postgres-only.sql");

/// Everything that `archive init` runs. Whoever runs it becomes an administrator.
pub fn setup_sql(team: &str) -> String {
    let team = literal(team);
    format!(
        "{SCHEMA}\n{POSTGRES_ONLY}\n-- The team, and whoever runs this as its administrator.\n\
         INSERT INTO catchword.schema_version (team, version) VALUES ({team}, {SCHEMA_VERSION});\n\
         INSERT INTO catchword.person (team, name) VALUES ({team}, session_user);\n\
         GRANT catchword_admin TO CURRENT_USER;\n"
    )
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
