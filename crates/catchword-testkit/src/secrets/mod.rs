//! Made-up secrets of many kinds, each in a typical text, and texts that only look like a secret.
//!
//! Assembled at run time from parts, so that no repository scanner takes these files for a leak, and the same on every
//! run. To add a kind: a line in `formats.rs` (recognisable by its format) or `named.rs` (by its name or place); a text
//! that must not be masked: a line in `look_alikes.rs`.

mod formats;
mod look_alikes;
mod named;

pub use look_alikes::look_alikes;
use named::{Allows, ValueKind};

/// A secret in a text.
#[derive(Clone, Debug)]
pub struct Secret {
    pub kind: &'static str,
    /// What must not appear anywhere; for a multi-line key, one line from its middle.
    pub secret: String,
    /// What a person typed, or a tool printed.
    pub text: String,
}

impl Secret {
    /// Its longest run of letters and digits, in lower case, as a word index would store it. `None` if that is too
    /// short to be significant.
    pub fn longest_word(&self) -> Option<String> {
        let words = self.secret.split(|c: char| !c.is_ascii_alphanumeric());
        words.max_by_key(|word| word.len()).filter(|word| word.len() >= 12).map(str::to_ascii_lowercase)
    }

    /// A part of it that is left in `shown` and too long to be a coincidence: half a secret is a leak, too.
    pub fn left_in(&self, shown: &str) -> Option<&str> {
        const TELLING: usize = 6;
        let length = self.secret.len().min(TELLING);
        let stretches = (0..=self.secret.len() - length).filter_map(|at| self.secret.get(at..at + length));
        // The mask's own text does not count.
        let shown: String = shown
            .split("[masked: ")
            .map(|part| part.split_once(']').map_or(part, |(_, rest)| rest))
            .collect();
        let around = self.text.replace(&self.secret, "\0");
        stretches.into_iter().find(|stretch| shown.contains(stretch) && !around.contains(stretch))
    }
}

const ALNUM: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const TOKEN: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const PADDED: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=.";
const BASE64: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const LOWER: &str = "abcdefghijklmnopqrstuvwxyz0123456789";
const HEX: &str = "0123456789abcdef";
const DIGITS: &str = "0123456789";
const SYMBOLS: &str = "!@#$%^&*()-_=+[]{};:,.<>/?|~";

fn alphabet(class: &str) -> &'static str {
    match class {
        "A" => ALNUM,
        "M" => LETTERS,
        "T" => TOKEN,
        "E" => PADDED,
        "B" => BASE64,
        "H" => HEX,
        "U" => UPPER,
        "L" => LOWER,
        "D" => DIGITS,
        other => panic!("no class {other}"),
    }
}

/// The number of formats, and of contexts each occurs in.
pub fn format_counts() -> (usize, usize) {
    (formats::FORMATS.len(), formats::CONTEXTS.len())
}

/// Every format in every context, with a new secret each time.
pub fn in_every_context() -> Vec<Secret> {
    let mut filler = Filler(20_260_101);
    let mut all = Vec::new();
    for (kind, format) in formats::FORMATS {
        for context in formats::CONTEXTS {
            let secret = formats::made(format, &mut filler);
            all.push(Secret { kind, text: context.replace("{}", &secret), secret });
        }
    }
    all
}

/// A named value, and the form it is given in.
#[derive(Clone, Debug)]
pub struct NamedSecret {
    /// `env file`, `yaml block`.
    pub form: &'static str,
    /// `20 symbols`, `hex`.
    pub value: &'static str,
    pub secret: Secret,
}

/// Every name in every form with every value that fits.
pub fn named_values() -> Vec<NamedSecret> {
    let mut filler = Filler(20_260_202);
    let mut all = Vec::new();
    for (form, allows, text) in named::FORMS {
        for (name, by_person) in named::NAMES.iter().filter(|(name, _)| fits(form, name)) {
            let shown = text.replace("NAME", name).replace("FLAG", &named::flag(name));
            for (kind, value) in named::VALUE_KINDS.iter().filter(|(kind, _)| is_of(*by_person, *kind)) {
                let secret = named::value(*kind, *allows, &mut filler);
                let secret = Secret { kind: name, text: shown.replace("{}", &secret), secret };
                all.push(NamedSecret { form, value, secret });
            }
        }
    }
    for (form, format, text) in named::SPECIAL {
        for _ in 0..20 {
            let secret = special(format, &mut filler);
            let secret = Secret { kind: form, text: text.replace("{}", &secret), secret };
            all.push(NamedSecret { form, value: "as it is given out", secret });
        }
    }
    all
}

/// Constants and flags do not have names in other languages.
fn fits(form: &str, name: &str) -> bool {
    let texts =
        ["yaml", "json", "ini", "toml", "chat", "markdown", "python", "javascript object", "kubernetes"];
    name.is_ascii() || texts.contains(&form)
}

fn is_of(by_person: bool, kind: ValueKind) -> bool {
    let person = matches!(kind, ValueKind::Password | ValueKind::Seasonal | ValueKind::Symbols);
    if by_person { person } else { kind != ValueKind::Password }
}

fn special(format: &str, filler: &mut Filler) -> String {
    match format {
        "{pw}" => named::value(ValueKind::Password, Allows::Plain, filler),
        "{login}" => base64(&format!("bob:{}", filler.chars(ALNUM, 14))),
        format => formats::made(format, filler),
    }
}

fn base64(text: &str) -> String {
    let letters: Vec<char> = BASE64.chars().collect();
    let mut encoded = String::new();
    for three in text.as_bytes().chunks(3) {
        let bits =
            three.iter().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - three.len()));
        let digits = (0..=three.len()).map(|digit| letters[(bits >> (18 - 6 * digit) & 63) as usize]);
        encoded.extend(digits);
        encoded.extend(std::iter::repeat_n('=', 3 - three.len()));
    }
    encoded
}

/// Kind, alphabet, length, and the text that identifies them.
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
    let mut filler = Filler(20_260_303);
    let mut all = Vec::new();
    for (kind, format) in formats::FORMATS {
        let secret = formats::made(format, &mut filler);
        all.push(Secret { kind, text: format!("use {secret} for it"), secret });
    }
    for (kind, alphabet, length, text) in PLACES {
        let secret = filler.of(alphabet, *length);
        all.push(Secret { kind, text: text.replace("{}", &secret), secret });
    }
    all.extend(private_keys(&mut filler));
    all
}

/// Private keys as printed.
fn private_keys(filler: &mut Filler) -> Vec<Secret> {
    let keys = [
        ("rsa key", "RSA PRIVATE KEY", ""),
        ("openssh key", "OPENSSH PRIVATE KEY", ""),
        ("pgp key", "PGP PRIVATE KEY BLOCK", ""),
        ("key with line numbers", "EC PRIVATE KEY", "  12\t"),
        ("key in a diff", "PRIVATE KEY", "+"),
    ];
    let mut all = Vec::new();
    for (kind, title, before) in keys {
        let lines: Vec<String> = (0..10).map(|_| filler.of(ALNUM, 64)).collect();
        let (rule, secret) = ("-".repeat(5), lines[5].clone());
        let body = lines.iter().fold(String::new(), |body, line| format!("{body}{before}{line}\n"));
        let text = format!("{before}{rule}BEGIN {title}{rule}\n{body}{before}{rule}END {title}{rule}\n");
        all.push(Secret { kind, secret, text });
    }
    let lines: Vec<String> = (0..10).map(|_| filler.of(ALNUM, 64)).collect();
    let (secret, body, rule) = (lines[5].clone(), lines.join("\n"), "-".repeat(4));
    let title = "SSH2 ENCRYPTED PRIVATE KEY";
    let text =
        format!("{rule} BEGIN {title} {rule}\nComment: \"a key\"\n{body}\n{rule} END {title} {rule}\n");
    all.push(Secret { kind: "ssh2 key", secret: secret.clone(), text });
    let text = format!(
        "PuTTY-User-Key-File-3: ssh-rsa\nEncryption: none\nComment: a key\nPublic-Lines: 1\nAAAAB3NzaC1yc2E\n\
         Private-{}: 10\n{body}\nPrivate-MAC: 0a1b2c\n",
        "Lines"
    );
    all.push(Secret { kind: "putty key", secret, text });
    all
}

/// Pseudo-random text, the same on every run.
pub(crate) struct Filler(u64);

impl Filler {
    /// Uniformly random: a token without a digit occurs as often as in reality.
    fn chars(&mut self, alphabet: &str, length: usize) -> String {
        let letters: Vec<char> = alphabet.chars().collect();
        (0..length).map(|_| letters[self.number(letters.len())]).collect()
    }

    /// With a digit in it, because the values of `PLACES` are recognised only by their name.
    fn of(&mut self, alphabet: &str, length: usize) -> String {
        let mut text = self.chars(alphabet, length);
        text.replace_range(2..3, "4");
        text
    }

    fn uuid(&mut self) -> String {
        [8, 4, 4, 4, 12].map(|length| self.chars(HEX, length)).join("-")
    }

    fn number(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % below
    }
}
