//! The table of secrets that are recognisable by themselves, and the scan that finds them.
//!
//! A rule is a prefix and what must follow it. To add one: a line in [`RULES`], a sample in `tests.rs`, nothing
//! else; the filter and the index below are computed from the table at compile time. Lower bounds are below the
//! real lengths, because tools cut their output and half a token is still half a token. Formats are those the
//! providers publish or hand out; secrets without a format of their own (Okta, Algolia, Datadog, …) are found by
//! the name they are assigned to.

use super::bytes::{
    ALNUM, BASE64, DIGIT, DOTTED, HEX, LOWER_NUM, Set, TOKEN, UPPER_NUM, UUID, WORD, ends_word, has, one,
    run_end, starts_word,
};
use super::value::{is_placeholder, is_words};
use super::{Evidence, Finding, shapes};

pub(super) struct Rule {
    pub(super) kind: &'static str,
    /// At least two bytes; two only when the first part says which third bytes may follow.
    prefix: &'static str,
    body: Body,
}

enum Body {
    /// The prefix belongs to the secret.
    Token(&'static [Part]),
    /// The prefix is an address and stays.
    After(&'static [Part]),
    /// Needs more than a pattern: looks around `at`, where the prefix stands, and pushes what it finds.
    Shape(fn(&[u8], usize, &mut Vec<Finding>)),
}

#[derive(Clone, Copy)]
enum Part {
    Run { set: Set, min: usize, max: usize },
    Literal(&'static str),
}

/// Between `min` and `max` bytes of `set`.
const fn run(set: Set, min: usize, max: usize) -> Part {
    Part::Run { set, min, max }
}

const fn literal(text: &'static str) -> Part {
    Part::Literal(text)
}

const fn token(kind: &'static str, prefix: &'static str, body: &'static [Part]) -> Rule {
    Rule { kind, prefix, body: Body::Token(body) }
}

const fn after(kind: &'static str, prefix: &'static str, body: &'static [Part]) -> Rule {
    Rule { kind, prefix, body: Body::After(body) }
}

const fn shape(kind: &'static str, prefix: &'static str, find: fn(&[u8], usize, &mut Vec<Finding>)) -> Rule {
    Rule { kind, prefix, body: Body::Shape(find) }
}

const LONG: usize = 1 << 16;
/// Base64 of a Discord user id starts with these: `M…`, `N…`, `O…` for the first digit, then one of ten letters.
const DISCORD: &[Part] = &[
    run(DISCORD_THIRD, 1, 1),
    run(TOKEN, 20, 26),
    literal("."),
    run(TOKEN, 6, 7),
    literal("."),
    run(TOKEN, 25, 40),
];
const DISCORD_THIRD: Set = one(b'A')
    | one(b'E')
    | one(b'I')
    | one(b'M')
    | one(b'Q')
    | one(b'U')
    | one(b'Y')
    | one(b'c')
    | one(b'g')
    | one(b'k');
const JWT: &[Part] =
    &[run(TOKEN, 8, LONG), literal(".eyJ"), run(TOKEN, 4, LONG), literal("."), run(TOKEN, 8, LONG)];
const JWE: &[Part] = &[
    run(TOKEN, 8, LONG),
    literal("."),
    run(TOKEN, 0, LONG),
    literal("."),
    run(TOKEN, 8, 64),
    literal("."),
    run(TOKEN, 8, LONG),
    literal("."),
    run(TOKEN, 16, 64),
];
const UUID_BODY: &[Part] = &[run(UUID, 36, 36)];

/// Every secret with a format of its own, by provider.
#[rustfmt::skip]
pub(super) const RULES: &[Rule] = &[
    // Clouds and hosting.
    token("aws key", "AKIA", &[run(UPPER_NUM, 16, 16)]),
    token("aws key", "ASIA", &[run(UPPER_NUM, 16, 16)]),
    token("aws key", "ABIA", &[run(UPPER_NUM, 16, 16)]),
    token("aws key", "ACCA", &[run(UPPER_NUM, 16, 16)]),
    token("aws bedrock key", "ABSK", &[run(BASE64, 80, 300)]),
    token("google api key", "AIza", &[run(TOKEN, 30, 40)]),
    token("google oauth secret", "GOCSPX-", &[run(TOKEN, 20, 40)]),
    token("google oauth token", "ya29.", &[run(DOTTED, 20, LONG)]),
    token("google refresh token", "1//0", &[run(TOKEN, 40, 200)]),
    shape("azure client secret", "8Q~", shapes::azure_client_secret),
    shape("azure client secret", "7Q~", shapes::azure_client_secret),
    shape("azure devops token", "AZDO", shapes::azure_devops),
    shape("azure key", "JQQJ99", shapes::azure_key),
    token("alibaba key", "LTAI", &[run(ALNUM, 16, 26)]),
    token("tencent key", "AKID", &[run(ALNUM, 32, 32)]),
    token("yandex key", "AQVN", &[run(TOKEN, 35, 40)]),
    token("digitalocean token", "dop_v1_", &[run(HEX, 32, 64)]),
    token("digitalocean token", "doo_v1_", &[run(HEX, 32, 64)]),
    token("digitalocean token", "dor_v1_", &[run(HEX, 32, 64)]),
    token("heroku token", "HRKU-", &[run(TOKEN, 32, 80)]),
    token("vercel token", "vcp_", &[run(ALNUM, 20, 80)]),
    token("vercel token", "vci_", &[run(ALNUM, 20, 80)]),
    token("vercel token", "vca_", &[run(ALNUM, 20, 80)]),
    token("vercel token", "vcr_", &[run(ALNUM, 20, 80)]),
    token("vercel token", "vck_", &[run(ALNUM, 20, 80)]),
    token("vercel blob token", "vercel_blob_rw_", &[run(WORD, 20, 80)]),
    token("netlify token", "nfp_", &[run(ALNUM, 30, 60)]),
    token("netlify token", "nfo_", &[run(ALNUM, 30, 60)]),
    token("netlify token", "nfc_", &[run(ALNUM, 30, 60)]),
    token("cloudflare origin key", "v1.0-", &[run(HEX, 24, 24), literal("-"), run(HEX, 100, 146)]),
    token("cloudflare token", "cfut_", &[run(ALNUM, 36, 64)]),
    token("cloudflare token", "cfat_", &[run(ALNUM, 36, 64)]),
    token("fly.io token", "fo1_", &[run(TOKEN, 36, 60)]),
    token("fly.io token", "fm1a_", &[run(BASE64, 60, LONG)]),
    token("fly.io token", "fm1r_", &[run(BASE64, 60, LONG)]),
    token("fly.io token", "fm2_", &[run(BASE64, 60, LONG)]),
    token("render key", "rnd_", &[run(ALNUM, 24, 40)]),
    token("scaleway key", "SCW", &[run(UPPER_NUM, 17, 17)]),
    token("tailscale key", "tskey-", &[run(TOKEN, 20, 100)]),
    token("docker swarm token", "SWMTKN-", &[run(TOKEN, 50, 100)]),

    // Code, packages and builds.
    token("github token", "ghp_", &[run(ALNUM, 20, 255)]),
    token("github token", "gho_", &[run(ALNUM, 20, 255)]),
    token("github token", "ghu_", &[run(ALNUM, 20, 255)]),
    token("github token", "ghs_", &[run(DOTTED, 20, LONG)]),
    token("github token", "ghr_", &[run(ALNUM, 20, 255)]),
    token("github token", "github_pat_", &[run(WORD, 30, 255)]),
    token("gitlab token", "glpat-", &[run(DOTTED, 16, 300)]),
    token("gitlab token", "gldt-", &[run(TOKEN, 16, 64)]),
    token("gitlab token", "glrt-", &[run(DOTTED, 16, 300)]),
    token("gitlab token", "glrtr-", &[run(DOTTED, 16, 300)]),
    token("gitlab token", "glcbt-", &[run(TOKEN, 16, 300)]),
    token("gitlab token", "glptt-", &[run(TOKEN, 32, 64)]),
    token("gitlab token", "glft-", &[run(TOKEN, 16, 64)]),
    token("gitlab token", "glimt-", &[run(TOKEN, 16, 64)]),
    token("gitlab token", "glsoat-", &[run(TOKEN, 16, 64)]),
    token("gitlab token", "gloas-", &[run(TOKEN, 32, 80)]),
    token("gitlab token", "glagent-", &[run(TOKEN, 32, 80)]),
    token("gitlab token", "glffct-", &[run(TOKEN, 16, 64)]),
    token("gitlab token", "GR1348941", &[run(TOKEN, 18, 24)]),
    token("bitbucket token", "ATBB", &[run(ALNUM, 28, 40)]),
    token("bitbucket token", "ATCTT3xFf", &[run(TOKEN | one(b'='), 100, 300)]),
    token("atlassian token", "ATATT3xFf", &[run(TOKEN | one(b'='), 100, 300)]),
    token("npm token", "npm_", &[run(ALNUM, 30, 64)]),
    token("pypi token", "pypi-", &[run(TOKEN, 50, LONG)]),
    token("crates.io token", "cio", &[run(ALNUM, 32, 32)]),
    token("rubygems key", "rubygems_", &[run(HEX, 40, 64)]),
    token("nuget key", "oy2", &[run(LOWER_NUM, 43, 43)]),
    token("clojars token", "CLOJARS_", &[run(HEX, 50, 64)]),
    token("docker hub token", "dckr_pat_", &[run(TOKEN, 20, 64)]),
    token("docker hub token", "dckr_oat_", &[run(TOKEN, 20, 64)]),
    token("artifactory key", "AKCp", &[run(ALNUM, 50, 120)]),
    token("artifactory token", "cmVmdGtu", &[run(ALNUM, 50, 80)]),
    token("circleci token", "CCIPAT_", &[run(WORD, 40, 100)]),
    token("circleci token", "CCIPRJ_", &[run(WORD, 40, 100)]),
    token("buildkite token", "bkua_", &[run(HEX, 32, 64)]),
    token("sonar token", "squ_", &[run(HEX, 40, 40)]),
    token("sonar token", "sqp_", &[run(HEX, 40, 40)]),
    token("sonar token", "sqa_", &[run(HEX, 40, 40)]),
    token("snyk token", "snyk_uat.", &[run(DOTTED, 40, 300)]),
    token("sourcegraph token", "sgp_", &[run(WORD, 40, 80)]),
    token("infracost key", "ico-", &[run(ALNUM, 32, 32)]),
    token("jetbrains token", "perm:", &[run(BASE64 | one(b'.') | one(b'-'), 40, 200)]),
    token("pulumi token", "pul-", &[run(HEX, 32, 40)]),
    shape("terraform token", ".atlasv1.", shapes::terraform),
    token("vault token", "hvs.", &[run(TOKEN, 20, 300)]),
    token("vault token", "hvb.", &[run(TOKEN, 20, 300)]),
    token("vault token", "hvr.", &[run(TOKEN, 20, 300)]),
    token("doppler token", "dp.pt.", &[run(ALNUM, 30, 60)]),
    token("doppler token", "dp.ct.", &[run(ALNUM, 30, 60)]),
    token("doppler token", "dp.sa.", &[run(ALNUM, 30, 60)]),
    token("doppler token", "dp.scim.", &[run(ALNUM, 30, 60)]),
    token("doppler token", "dp.audit.", &[run(ALNUM, 30, 60)]),
    token("doppler token", "dp.st.", &[run(DOTTED, 30, 100)]),
    token("1password token", "ops_eyJ", &[run(BASE64, 100, LONG)]),
    token("age key", "AGE-SECRET-KEY-1", &[run(UPPER_NUM, 40, 64)]),
    token("extended private key", "xprv", &[run(ALNUM, 100, 112)]),
    token("postman key", "PMAK-", &[run(HEX, 24, 24), literal("-"), run(HEX, 30, 34)]),
    token("launchdarkly key", "sdk-", UUID_BODY),
    token("launchdarkly key", "api-", UUID_BODY),
    token("prefect key", "pnu_", &[run(ALNUM, 30, 40)]),
    token("prefect key", "pnb_", &[run(ALNUM, 30, 40)]),
    token("harness token", "pat.", &[run(TOKEN, 22, 22), literal("."), run(HEX, 24, 24), literal("."), run(ALNUM, 20, 20)]),
    token("readme key", "rdme_", &[run(LOWER_NUM, 60, 80)]),

    // Models.
    token("anthropic key", "sk-ant-", &[run(TOKEN, 24, 200)]),
    token("openai key", "sk-proj-", &[run(TOKEN, 24, 300)]),
    token("openai key", "sk-svcacct-", &[run(TOKEN, 24, 300)]),
    token("openai key", "sk-admin-", &[run(TOKEN, 24, 300)]),
    token("openai key", "sess-", &[run(ALNUM, 40, 40)]),
    token("openrouter key", "sk-or-v1-", &[run(HEX, 32, 64)]),
    token("langfuse key", "sk-lf-", UUID_BODY),
    token("openai key", "sk-", &[run(ALNUM, 32, 64)]),
    token("hugging face token", "hf_", &[run(ALNUM, 30, 40)]),
    token("hugging face token", "api_org_", &[run(ALNUM, 30, 40)]),
    token("groq key", "gsk_", &[run(ALNUM, 40, 60)]),
    token("xai key", "xai-", &[run(ALNUM, 60, 90)]),
    token("perplexity key", "pplx-", &[run(ALNUM, 40, 60)]),
    token("replicate token", "r8_", &[run(ALNUM, 30, 40)]),
    token("cerebras key", "csk-", &[run(LOWER_NUM, 40, 50)]),
    token("nvidia key", "nvapi-", &[run(TOKEN, 50, 80)]),
    token("langsmith key", "lsv2_pt_", &[run(WORD, 32, 60)]),
    token("langsmith key", "lsv2_sk_", &[run(WORD, 32, 60)]),
    token("tavily key", "tvly-", &[run(TOKEN, 28, 60)]),
    token("firecrawl key", "fc-", &[run(HEX, 32, 32)]),
    token("elevenlabs key", "sk_", &[run(HEX, 48, 48)]),
    token("pinecone key", "pcsk_", &[run(WORD, 50, 90)]),

    // Messages and mail.
    token("slack token", "xoxb-", &[run(TOKEN, 20, 255)]),
    token("slack token", "xoxp-", &[run(TOKEN, 20, 255)]),
    token("slack token", "xoxa-", &[run(TOKEN, 20, 255)]),
    token("slack token", "xoxr-", &[run(TOKEN, 20, 255)]),
    token("slack token", "xoxs-", &[run(TOKEN, 20, 255)]),
    token("slack token", "xoxc-", &[run(TOKEN, 20, 255)]),
    token("slack token", "xoxd-", &[run(TOKEN | one(b'%'), 20, 500)]),
    token("slack token", "xoxe-", &[run(TOKEN, 20, 255)]),
    token("slack token", "xoxe.xox", &[run(TOKEN, 20, 255)]),
    token("slack token", "xapp-", &[run(TOKEN, 20, 255)]),
    after("slack webhook", "hooks.slack.com/services/", &[run(ALNUM | one(b'/'), 30, 90)]),
    after("slack webhook", "hooks.slack.com/workflows/", &[run(ALNUM | one(b'/'), 30, 120)]),
    after("slack webhook", "hooks.slack.com/triggers/", &[run(ALNUM | one(b'/'), 30, 120)]),
    after("discord webhook", "discord.com/api/webhooks/", &[run(DIGIT, 16, 20), literal("/"), run(TOKEN, 40, 90)]),
    after("discord webhook", "discordapp.com/api/webhooks/", &[run(DIGIT, 16, 20), literal("/"), run(TOKEN, 40, 90)]),
    token("discord token", "MD", DISCORD),
    token("discord token", "MT", DISCORD),
    token("discord token", "Mj", DISCORD),
    token("discord token", "Mz", DISCORD),
    token("discord token", "ND", DISCORD),
    token("discord token", "NT", DISCORD),
    token("discord token", "Nj", DISCORD),
    token("discord token", "Nz", DISCORD),
    token("discord token", "OD", DISCORD),
    token("discord token", "OT", DISCORD),
    shape("telegram token", ":AA", shapes::telegram),
    after("zapier webhook", "hooks.zapier.com/hooks/catch/", &[run(ALNUM | one(b'/'), 10, 60)]),
    token("twilio key", "SK", &[run(HEX, 32, 32)]),
    token("sendgrid key", "SG.", &[run(TOKEN, 16, 24), literal("."), run(TOKEN, 30, 50)]),
    token("mailgun key", "key-", &[run(HEX, 32, 32)]),
    shape("mailchimp key", "-us", shapes::mailchimp),
    token("brevo key", "xkeysib-", &[run(TOKEN, 60, 90)]),
    token("brevo key", "xsmtpsib-", &[run(TOKEN, 60, 90)]),
    token("resend key", "re_", &[run(ALNUM, 8, 10), literal("_"), run(ALNUM, 20, 30)]),
    token("hubspot token", "pat-na1-", UUID_BODY),
    token("hubspot token", "pat-na2-", UUID_BODY),
    token("hubspot token", "pat-eu1-", UUID_BODY),

    // Money and shops.
    token("stripe key", "sk_live_", &[run(ALNUM, 16, 250)]),
    token("stripe key", "sk_test_", &[run(ALNUM, 16, 250)]),
    token("stripe key", "rk_live_", &[run(ALNUM, 16, 250)]),
    token("stripe key", "rk_test_", &[run(ALNUM, 16, 250)]),
    token("stripe webhook secret", "whsec_", &[run(BASE64, 20, 100)]),
    token("square token", "EAAA", &[run(TOKEN, 58, 62)]),
    token("square token", "sq0atp-", &[run(TOKEN, 20, 30)]),
    token("square secret", "sq0csp-", &[run(TOKEN, 40, 50)]),
    token("braintree token", "access_token$production$", &[run(LOWER_NUM, 16, 16), literal("$"), run(HEX, 32, 32)]),
    token("braintree token", "access_token$sandbox$", &[run(LOWER_NUM, 16, 16), literal("$"), run(HEX, 32, 32)]),
    token("shopify token", "shpat_", &[run(HEX, 28, 64)]),
    token("shopify token", "shpca_", &[run(HEX, 28, 64)]),
    token("shopify token", "shppa_", &[run(HEX, 28, 64)]),
    token("shopify token", "shpua_", &[run(HEX, 28, 64)]),
    token("shopify secret", "shpss_", &[run(HEX, 28, 64)]),
    token("plaid token", "access-production-", UUID_BODY),
    token("plaid token", "access-development-", UUID_BODY),
    token("plaid token", "access-sandbox-", UUID_BODY),
    token("easypost key", "EZAK", &[run(ALNUM, 54, 54)]),
    token("easypost key", "EZTK", &[run(ALNUM, 54, 54)]),
    token("shippo token", "shippo_live_", &[run(HEX, 40, 40)]),
    token("shippo token", "shippo_test_", &[run(HEX, 40, 40)]),
    token("duffel token", "duffel_live_", &[run(TOKEN, 40, 50)]),
    token("duffel token", "duffel_test_", &[run(TOKEN, 40, 50)]),
    token("flutterwave key", "FLWSECK-", &[run(TOKEN, 30, 60)]),
    token("flutterwave key", "FLWSECK_TEST-", &[run(TOKEN, 30, 60)]),
    token("razorpay key", "rzp_live_", &[run(ALNUM, 14, 24)]),

    // Data, monitoring and search.
    token("sentry token", "sntrys_", &[run(BASE64 | one(b'_'), 40, 400)]),
    token("sentry token", "sntryu_", &[run(HEX, 40, 64)]),
    token("sentry token", "sntrya_", &[run(HEX, 40, 64)]),
    token("grafana token", "glsa_", &[run(WORD, 32, 60)]),
    token("grafana token", "glc_", &[run(BASE64, 32, 400)]),
    token("grafana key", "eyJrIjoi", &[run(BASE64, 40, 400)]),
    token("new relic key", "NRAK-", &[run(ALNUM, 24, 32)]),
    token("new relic key", "NRII-", &[run(TOKEN, 30, 40)]),
    token("new relic key", "NRRA-", &[run(HEX, 40, 44)]),
    shape("new relic key", "NRAL", shapes::new_relic_licence),
    token("datadog key", "ddapp_", &[run(ALNUM, 30, 40)]),
    token("datadog key", "ddp_", &[run(ALNUM, 30, 40)]),
    token("pagerduty key", "pdus+_", &[run(TOKEN, 20, 80)]),
    token("dynatrace token", "dt0c01.", &[run(UPPER_NUM, 24, 24), literal("."), run(UPPER_NUM, 50, 64)]),
    token("dynatrace token", "dt0s16.", &[run(UPPER_NUM, 8, 24), literal("."), run(UPPER_NUM, 50, 64)]),
    token("posthog key", "phx_", &[run(ALNUM, 40, 52)]),
    token("supabase token", "sbp_", &[run(WORD, 40, 60)]),
    token("supabase key", "sb_secret_", &[run(TOKEN, 20, 60)]),
    token("planetscale token", "pscale_tkn_", &[run(DOTTED, 30, 64)]),
    token("planetscale password", "pscale_pw_", &[run(DOTTED, 30, 64)]),
    token("planetscale token", "pscale_oauth_", &[run(DOTTED, 30, 64)]),
    token("neon key", "napi_", &[run(LOWER_NUM, 50, 80)]),
    token("neon password", "npg_", &[run(ALNUM, 12, 20)]),
    token("mongodb atlas secret", "mdb_sa_sk_", &[run(TOKEN, 30, 60)]),
    token("databricks token", "dapi", &[run(HEX, 32, 32)]),
    token("databricks token", "dose", &[run(HEX, 32, 32)]),
    token("airtable token", "pat", &[run(ALNUM, 14, 14), literal("."), run(HEX, 50, 64)]),
    token("contentful token", "CFPAT-", &[run(TOKEN, 40, 50)]),
    token("mapbox token", "sk.eyJ", &[run(DOTTED, 60, 200)]),

    // Work and social.
    token("linear key", "lin_api_", &[run(ALNUM, 32, 48)]),
    token("linear token", "lin_oauth_", &[run(ALNUM, 40, 80)]),
    token("notion token", "ntn_", &[run(ALNUM, 40, 50)]),
    token("notion token", "secret_", &[run(ALNUM, 43, 43)]),
    token("figma token", "figd_", &[run(TOKEN, 30, 60)]),
    token("figma token", "figu_", &[run(TOKEN, 30, 60)]),
    token("typeform token", "tfp_", &[run(TOKEN | one(b'.'), 40, 70)]),
    token("asana token", "1/", &[run(DIGIT, 15, 17), literal(":"), run(HEX, 32, 32)]),
    token("asana token", "2/", &[run(DIGIT, 15, 17), literal("/"), run(DIGIT, 15, 17), literal(":"), run(HEX, 32, 32)]),
    token("dropbox token", "sl.", &[run(DOTTED, 100, LONG)]),
    token("facebook token", "EAA", &[run(ALNUM, 80, 400)]),
    token("instagram token", "IGQV", &[run(TOKEN, 100, 400)]),
    token("twitter bearer", "AAAAAAAAAAAAAAAAAAAAA", &[run(ALNUM | one(b'%'), 70, 120)]),
    token("linkedin secret", "WPL_AP1.", &[run(BASE64 | one(b'.'), 16, 40)]),
    token("linkedin token", "AQV", &[run(TOKEN, 150, 500)]),
    token("linkedin token", "AQX", &[run(TOKEN, 150, 500)]),

    // Whoever hands them out.
    token("jwt", "eyJ", JWT),
    token("jwe", "eyJ", JWE),
    shape("private key", "BEGIN ", shapes::pem),
    shape("bearer token", "Bearer ", shapes::bearer),
    shape("bearer token", "bearer ", shapes::bearer),
    shape("bearer token", "BEARER ", shapes::bearer),
    shape("basic credentials", "Basic ", shapes::basic),
    shape("basic credentials", "basic ", shapes::basic),
    shape("password", " -u", shapes::user_flag),
    shape("password", " --user", shapes::user_flag),
    shape("password", " --proxy-user", shapes::user_flag),
    shape("password", " -p", shapes::password_flag),
    shape("password", " -a ", shapes::password_flag),
    shape("token", " --", shapes::named_flag),
    shape("cookie", " -b ", shapes::cookie_flag),
    shape("cookie", " --cookie ", shapes::cookie_flag),
    shape("password", "password ", shapes::netrc),
    shape("password", ":5432:", shapes::pgpass),
    shape("password", ":5433:", shapes::pgpass),
    shape("password", ":6432:", shapes::pgpass),
    shape("password", ":*:", shapes::pgpass),
    shape("password", "<pass", shapes::element),
    shape("password", "<Pass", shapes::element),
    shape("token", "<token>", shapes::element),
    shape("secret", "<secret", shapes::element),
    shape("secret key", "<apiKey>", shapes::element),
    shape("secret key", "<privateKey>", shapes::element),
];

/// Pushes what the table finds in `bytes`.
pub(super) fn scan(bytes: &[u8], found: &mut Vec<Finding>) {
    let mut pass = Pass { bytes, hidden_to: 0, runs: Runs::default(), found };
    let mut at = 0;
    // Eight bytes hold six windows; one branch for all six is twice as fast as one for each.
    while let Some(eight) = bytes.get(at..at + 8) {
        let eight = u64::from_le_bytes(eight.try_into().expect("eight bytes"));
        let taken = |offset: usize| is_taken((eight >> (offset * 8)) as u32);
        if taken(0) | taken(1) | taken(2) | taken(3) | taken(4) | taken(5) {
            (at..at + STEP).filter(|offset| taken(offset - at)).for_each(|at| pass.look_at(at));
        }
        at += STEP;
    }
    while let Some(&[first, second, third]) = bytes.get(at..at + 3) {
        if is_taken(u32::from_le_bytes([first, second, third, 0])) {
            pass.look_at(at);
        }
        at += 1;
    }
}

const STEP: usize = 6;

struct Pass<'a> {
    bytes: &'a [u8],
    hidden_to: usize,
    runs: Runs,
    found: &'a mut Vec<Finding>,
}

impl Pass<'_> {
    #[cold]
    fn look_at(&mut self, at: usize) {
        if at < self.hidden_to {
            return;
        }
        let before = self.found.len();
        try_rules(self.bytes, at, at == self.hidden_to, &mut self.runs, self.found);
        // Only a format settles what a stretch is; a flag's value may still be recognised by its own.
        let settled = self.found[before..].iter().filter(|finding| finding.evidence == Evidence::Format);
        self.hidden_to = settled.map(|finding| finding.end).max().unwrap_or(self.hidden_to);
    }
}

fn try_rules(bytes: &[u8], at: usize, after_secret: bool, runs: &mut Runs, found: &mut Vec<Finding>) {
    let letter = usize::from(bytes[at] & 127);
    let pair = [bytes[at], bytes[at + 1]];
    let third = bytes[at + 2];
    for entry in &ORDER[usize::from(STARTS[letter])..usize::from(STARTS[letter + 1])] {
        let near = entry.pair == pair && (entry.third == third || entry.third == ANY);
        let rule = &RULES[usize::from(entry.rule)];
        if !near || !bytes[at..].starts_with(rule.prefix.as_bytes()) {
            continue;
        }
        let after_prefix = at + rule.prefix.len();
        let (start, parts) = match rule.body {
            Body::Token(parts) => (at, parts),
            Body::After(parts) => (after_prefix, parts),
            Body::Shape(find) => {
                find(bytes, at, found);
                continue;
            }
        };
        if !after_secret && !starts_word(bytes, at) {
            continue;
        }
        if let Some(end) = match_parts(bytes, after_prefix, parts, runs) {
            found.push(Finding { start, end, kind: rule.kind, evidence: Evidence::Format });
            return;
        }
    }
}

/// Where `parts` end when they match at `at` and look made by a machine.
fn match_parts(bytes: &[u8], mut at: usize, parts: &[Part], runs: &mut Runs) -> Option<usize> {
    let start = at;
    let mut mixed = false;
    for (number, part) in parts.iter().enumerate() {
        match *part {
            Part::Literal(text) => {
                at = bytes[at..].starts_with(text.as_bytes()).then_some(at + text.len())?;
            }
            Part::Run { set, min, max } => {
                let last = number + 1 == parts.len();
                let mut end = runs.end(bytes, at, set);
                while last && end > at && bytes[end - 1] == b'.' {
                    end -= 1;
                }
                if !last {
                    end = end.min(at + max);
                }
                if !(min..=max).contains(&(end - at)) || last && !ends_word(bytes, end) {
                    return None;
                }
                mixed |= has(set, b'a') && has(set, b'z');
                at = end;
            }
        }
    }
    let body = &bytes[start..at.min(start + JUDGED)];
    // Base32 in capitals may well be without a digit, so only alphabets of both cases are tested for words.
    let made_up = is_placeholder(body) || distinct(body) < 5 || mixed && is_words(body);
    (!made_up).then_some(at)
}

/// So much of a token tells whether it is made up.
const JUDGED: usize = 256;

/// Where runs end, remembered per alphabet: text made of nothing but prefixes is read once, not once per prefix.
#[derive(Default)]
struct Runs(Vec<(Set, usize, usize)>);

impl Runs {
    fn end(&mut self, bytes: &[u8], at: usize, set: Set) -> usize {
        let known = self.0.iter_mut().find(|(of, ..)| *of == set);
        if let Some(&mut (_, start, end)) = known
            && (start..end).contains(&at)
        {
            return end;
        }
        let end = run_end(bytes, at, set);
        match known {
            Some(run) => *run = (set, at, end),
            None => self.0.push((set, at, end)),
        }
        end
    }
}

fn distinct(body: &[u8]) -> u32 {
    body.iter().fold(0, |seen: Set, &byte| seen | one(byte & 127)).count_ones()
}

const FILTER_BITS: usize = 1 << 16;

/// Three bytes to a place in the filter. 8 KB of bits: 1% of places are taken, and it stays in the first cache.
const fn slot(three: u32) -> usize {
    ((three << 8).wrapping_mul(0x9E37_79B1) >> 16) as usize
}

/// Whether the lower three bytes may start a rule.
fn is_taken(three: u32) -> bool {
    let slot = slot(three);
    FILTER[slot / 64] >> (slot % 64) & 1 == 1
}

static FILTER: [u64; FILTER_BITS / 64] = filter();

const fn filter() -> [u64; FILTER_BITS / 64] {
    let mut bits = [0; FILTER_BITS / 64];
    let mut number = 0;
    while number < RULES.len() {
        let prefix = RULES[number].prefix.as_bytes();
        let thirds = if prefix.len() > 2 { one(prefix[2]) } else { third_bytes(&RULES[number]) };
        let mut third = 0;
        while third < 128 {
            if has(thirds, third) {
                let slot = slot(u32::from_le_bytes([prefix[0], prefix[1], third, 0]));
                bits[slot / 64] |= 1 << (slot % 64);
            }
            third += 1;
        }
        number += 1;
    }
    bits
}

const fn third_bytes(rule: &Rule) -> Set {
    match rule.body {
        Body::Token(parts) | Body::After(parts) => match parts[0] {
            Part::Run { set, .. } => set,
            Part::Literal(_) => panic!("a two-byte prefix needs a run after it"),
        },
        Body::Shape(_) => panic!("a two-byte prefix needs a run after it"),
    }
}

/// A rule and its first three bytes, which tell most apart without a look at the rule.
#[derive(Clone, Copy)]
struct Entry {
    pair: [u8; 2],
    third: u8,
    rule: u16,
}

/// The third byte of a prefix of two.
const ANY: u8 = 0;

/// Rules ordered by their first byte, and where each byte's rules start.
static ORDER: [Entry; RULES.len()] = INDEX.0;
static STARTS: [u16; 129] = INDEX.1;
const INDEX: ([Entry; RULES.len()], [u16; 129]) = index();

const fn index() -> ([Entry; RULES.len()], [u16; 129]) {
    let mut order = [Entry { pair: [0; 2], third: ANY, rule: 0 }; RULES.len()];
    let mut starts = [0; 129];
    let mut placed = 0;
    let mut byte = 0;
    while byte < 128 {
        starts[byte] = placed as u16;
        let mut number = 0;
        while number < RULES.len() {
            let prefix = RULES[number].prefix.as_bytes();
            if prefix[0] as usize == byte {
                let third = if prefix.len() > 2 { prefix[2] } else { ANY };
                order[placed] = Entry { pair: [prefix[0], prefix[1]], third, rule: number as u16 };
                placed += 1;
            }
            number += 1;
        }
        byte += 1;
    }
    starts[128] = placed as u16;
    (order, starts)
}
