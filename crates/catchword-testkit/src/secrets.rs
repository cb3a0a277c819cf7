//! Made-up secrets of many kinds, each in a text such as it is met in.
//!
//! Put together at run time from parts, so that no scanner of repositories takes this file for a leak, and the same on
//! every run.

/// A secret in a text.
#[derive(Clone, Debug)]
pub struct Secret {
    /// What it is.
    pub kind: &'static str,
    /// What may be nowhere; of a key of many lines one line of its middle.
    pub secret: String,
    /// What a person typed, or a tool printed.
    pub text: String,
}

impl Secret {
    /// Its longest run of letters and digits, in small letters: as an index of words would hold it. `None` where that
    /// is too short to be sure of.
    pub fn longest_word(&self) -> Option<String> {
        let words = self.secret.split(|c: char| !c.is_ascii_alphanumeric());
        words.max_by_key(|word| word.len()).filter(|word| word.len() >= 12).map(str::to_ascii_lowercase)
    }
}

const ALNUM: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const LOWER: &str = "abcdefghijklmnopqrstuvwxyz0123456789";
const HEX: &str = "0123456789abcdef";
const DIGITS: &str = "0123456789";

/// Kind, start, alphabet, length: recognisable wherever they stand.
const FORMATS: &[(&str, &[&str], &str, usize)] = &[
    ("aws access key", &["AK", "IA"], UPPER, 16),
    ("aws session key", &["AS", "IA"], UPPER, 16),
    ("google api key", &["AI", "za"], ALNUM, 35),
    ("google oauth secret", &["GOC", "SPX-"], ALNUM, 28),
    ("google oauth token", &["ya", "29."], ALNUM, 120),
    ("github personal token", &["gh", "p_"], ALNUM, 36),
    ("github oauth token", &["gh", "o_"], ALNUM, 36),
    ("github user token", &["gh", "u_"], ALNUM, 36),
    ("github server token", &["gh", "s_"], ALNUM, 36),
    ("github refresh token", &["gh", "r_"], ALNUM, 76),
    ("github fine-grained token", &["github_", "pat_"], ALNUM, 82),
    ("gitlab token", &["gl", "pat-"], ALNUM, 20),
    ("gitlab runner token", &["gl", "rt-"], ALNUM, 20),
    ("slack bot token", &["xo", "xb-123456789012-123456789012-"], ALNUM, 24),
    ("slack user token", &["xo", "xp-123456789012-123456789012-"], HEX, 32),
    ("stripe secret key", &["sk_", "live_"], ALNUM, 24),
    ("stripe restricted key", &["rk_", "live_"], ALNUM, 24),
    ("stripe webhook secret", &["wh", "sec_"], ALNUM, 32),
    ("twilio key", &["S", "K"], HEX, 32),
    ("openai key", &["sk-", "proj-"], ALNUM, 120),
    ("anthropic key", &["sk-", "ant-api03-"], ALNUM, 93),
    ("openrouter key", &["sk-", "or-v1-"], HEX, 64),
    ("hugging face token", &["h", "f_"], ALNUM, 34),
    ("groq key", &["gs", "k_"], ALNUM, 52),
    ("replicate token", &["r", "8_"], ALNUM, 37),
    ("npm token", &["np", "m_"], ALNUM, 36),
    ("pypi token", &["pypi-", "AgEIcHlwaS5vcmc"], ALNUM, 140),
    ("crates.io token", &["ci", "o"], ALNUM, 32),
    ("rubygems key", &["ruby", "gems_"], HEX, 48),
    ("docker hub token", &["dckr_", "pat_"], ALNUM, 27),
    ("digitalocean token", &["dop_", "v1_"], HEX, 64),
    ("heroku token", &["HR", "KU-"], ALNUM, 60),
    ("vercel token", &["vc", "p_"], ALNUM, 56),
    ("netlify token", &["nf", "p_"], ALNUM, 36),
    ("shopify token", &["shp", "at_"], HEX, 32),
    ("square token", &["sq0", "atp-"], ALNUM, 22),
    ("mailgun key", &["ke", "y-"], HEX, 32),
    ("brevo key", &["xkey", "sib-"], HEX, 64),
    ("linear key", &["lin_", "api_"], ALNUM, 40),
    ("notion token", &["nt", "n_"], ALNUM, 46),
    ("figma token", &["fi", "gd_"], ALNUM, 40),
    ("new relic key", &["NR", "AK-"], UPPER, 27),
    ("sentry token", &["snt", "ryu_"], HEX, 64),
    ("grafana token", &["gl", "sa_"], ALNUM, 41),
    ("supabase token", &["sb", "p_"], HEX, 40),
    ("planetscale token", &["pscale_", "tkn_"], ALNUM, 43),
    ("databricks token", &["da", "pi"], HEX, 32),
    ("doppler token", &["dp", ".pt."], ALNUM, 43),
    ("vault token", &["hv", "s."], ALNUM, 90),
    ("pulumi token", &["pu", "l-"], HEX, 40),
    ("age key", &["AGE-SECRET-", "KEY-1"], UPPER, 58),
    ("artifactory key", &["AK", "Cp"], ALNUM, 69),
    ("atlassian token", &["ATATT", "3xFf"], ALNUM, 183),
    ("tailscale key", &["ts", "key-auth-"], ALNUM, 40),
    ("circleci token", &["CCI", "PAT_"], ALNUM, 60),
    ("sonar token", &["sq", "u_"], HEX, 40),
    ("alibaba key", &["LT", "AI"], ALNUM, 20),
    ("pinecone key", &["pc", "sk_"], ALNUM, 70),
    ("posthog key", &["ph", "x_"], ALNUM, 43),
    ("neon key", &["na", "pi_"], LOWER, 64),
];

/// Kind, alphabet, length, and the text by which they are known.
const PLACES: &[(&str, &str, usize, &str)] = &[
    ("password in an address", ALNUM, 18, "postgres://app:{}@db.example:5432/shop"),
    ("password of an env file", ALNUM, 18, "# .env\nDB_PASSWORD={}\nDB_HOST=db"),
    ("password of a json file", ALNUM, 18, "{\n  \"user\": \"bob\",\n  \"password\": \"{}\"\n}"),
    ("password of a yaml file", ALNUM, 18, "db:\n  password: {}\n  host: db"),
    ("password of a connection string", ALNUM, 18, "Server=db;User Id=sa;Password={};Encrypt=true"),
    ("password of curl", ALNUM, 18, "curl -u admin:{} https://host.example/api"),
    ("password of mysql", ALNUM, 18, "mysql -u root -p{} shop"),
    ("netrc", ALNUM, 18, "machine host.example login bob password {}"),
    ("pgpass", ALNUM, 18, "localhost:5432:shop:bob:{}"),
    ("bearer header", ALNUM, 40, "Authorization: Bearer {}"),
    ("cookie", ALNUM, 40, "Cookie: theme=dark; session={}; lang=en"),
    ("set-cookie", ALNUM, 40, "Set-Cookie: sid={}; Path=/; HttpOnly"),
    ("aws secret key", ALNUM, 40, "aws_secret_access_key = {}"),
    (
        "azure account key",
        ALNUM,
        86,
        "DefaultEndpointsProtocol=https;AccountName=a;AccountKey={}==;EndpointSuffix=b",
    ),
    ("azure signature", ALNUM, 43, "https://a.blob.core.windows.net/c?sv=2024&se=2030&sig={}%3D&sp=r"),
    ("twilio auth token", HEX, 32, "TWILIO_AUTH_TOKEN={}"),
    ("datadog key", HEX, 32, "DD_API_KEY={}"),
    ("sentry dsn", HEX, 32, "https://{}@o123.ingest.sentry.io/456"),
    ("kubeconfig key", ALNUM, 120, "users:\n- user:\n    client-key-data: {}\n"),
    ("kubeconfig token", ALNUM, 60, "    token: {}\n"),
    ("npmrc", ALNUM, 36, "//registry.example/:_authToken={}"),
    ("terraform variable", ALNUM, 30, "db_password = \"{}\""),
    ("auth0 secret", ALNUM, 64, "AUTH0_CLIENT_SECRET={}"),
    ("django secret", ALNUM, 50, "SECRET_KEY = '{}'"),
    ("query of an address", ALNUM, 40, "https://host.example/cb?access_token={}&state=1"),
    ("flag", ALNUM, 40, "tool --api-key {} list"),
];

/// One of each kind.
pub fn secrets() -> Vec<Secret> {
    let mut filler = Filler(20_260_101);
    let mut all = Vec::new();
    for (kind, start, alphabet, length) in FORMATS {
        let secret = format!("{}{}", start.concat(), filler.of(alphabet, *length));
        let text = format!("use {secret} for it");
        all.push(Secret { kind, secret, text });
    }
    for (kind, alphabet, length, text) in PLACES {
        let secret = filler.of(alphabet, *length);
        all.push(Secret { kind, text: text.replace("{}", &secret), secret });
    }
    all.extend(composed(&mut filler));
    all
}

/// Secrets of several parts.
fn composed(filler: &mut Filler) -> Vec<Secret> {
    let mut alnum = |length| filler.of(ALNUM, length);
    let jwt = ["ey", "J", &alnum(17), ".ey", "J", &alnum(60), ".", &alnum(43)].concat();
    let sendgrid = ["S", "G.", &alnum(22), ".", &alnum(43)].concat();
    let discord = ["MT", "k", &alnum(21), ".", &alnum(6), ".", &alnum(38)].concat();
    let terraform = [&alnum(14), ".atlas", "v1.", &alnum(67)].concat();
    let azure = [&alnum(3), "8Q", "~", &alnum(34)].concat();
    let mailchimp = format!("{}-us14", filler.of(HEX, 32));
    let telegram = format!("{}:AA{}", filler.of(DIGITS, 10), filler.of(ALNUM, 33));
    let whole = [
        ("jwt", jwt),
        ("sendgrid key", sendgrid),
        ("discord token", discord),
        ("terraform token", terraform),
        ("azure client secret", azure),
        ("mailchimp key", mailchimp),
        ("telegram token", telegram),
    ];
    let said =
        |(kind, secret): (&'static str, String)| Secret { kind, text: format!("it is {secret} now"), secret };
    let mut all: Vec<Secret> = whole.into_iter().map(said).collect();
    let keys = [
        ("rsa key", "RSA PRIVATE KEY", ""),
        ("openssh key", "OPENSSH PRIVATE KEY", ""),
        ("pgp key", "PGP PRIVATE KEY BLOCK", ""),
        ("key with line numbers", "EC PRIVATE KEY", "  12\t"),
        ("key in a diff", "PRIVATE KEY", "+"),
    ];
    for (kind, title, before) in keys {
        let lines: Vec<String> = (0..10).map(|_| filler.of(ALNUM, 64)).collect();
        let (rule, secret) = ("-".repeat(5), lines[5].clone());
        let body = lines.iter().fold(String::new(), |body, line| format!("{body}{before}{line}\n"));
        let text = format!("{before}{rule}BEGIN {title}{rule}\n{body}{before}{rule}END {title}{rule}\n");
        all.push(Secret { kind, secret, text });
    }
    all
}

/// Made-up bytes, the same on every run.
struct Filler(u64);

impl Filler {
    fn of(&mut self, alphabet: &str, length: usize) -> String {
        let letters: Vec<char> = alphabet.chars().collect();
        let mut text: String = (0..length).map(|_| letters[self.next() % letters.len()]).collect();
        // Real ones hardly ever go without a digit.
        text.replace_range(2..3, if alphabet == UPPER { "7" } else { "4" });
        text
    }

    fn next(&mut self) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize
    }
}
