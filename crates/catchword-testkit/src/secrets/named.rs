//! Secrets without a format, recognised by their name, in every form in which a named value can be given.

use super::{Filler, SYMBOLS};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// `hunter2!Kx`.
    Password,
    /// A word, a year and a symbol.
    Seasonal,
    /// Twenty characters, with every symbol that a generator uses.
    Symbols,
    /// 32 hexadecimal digits.
    Hex,
    /// 40 letters and digits.
    Alnum,
    /// 44 characters of base64.
    Base64,
    /// Fifty characters, as Django generates them.
    Django,
}

pub const VALUE_KINDS: &[(ValueKind, &str)] = &[
    (ValueKind::Password, "password"),
    (ValueKind::Seasonal, "word, year and sign"),
    (ValueKind::Symbols, "20 symbols"),
    (ValueKind::Hex, "32 hex digits"),
    (ValueKind::Alnum, "40 letters and digits"),
    (ValueKind::Base64, "base64"),
    (ValueKind::Django, "django key"),
];

/// The characters that a form allows in an unescaped value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allows {
    /// Everything but quotes and backslashes.
    Signs,
    /// The same, but not a symbol first: YAML.
    SignsInside,
    /// Neither `<` nor `&`: XML elements.
    NoTags,
    /// Letters, digits and few symbols.
    Plain,
}

/// Forms of a named value: their name, what they allow, and the text with `NAME` and `{}`.
#[rustfmt::skip]
pub const FORMS: &[(&str, Allows, &str)] = &[
    ("env file", Allows::Signs, "HOST=db\nNAME={}\nPORT=5432\n"),
    ("env file, double quotes", Allows::Signs, "NAME=\"{}\"\n"),
    ("env file, single quotes", Allows::Signs, "NAME='{}'\n"),
    ("exported", Allows::Plain, "export NAME={}\n"),
    ("exported, quoted", Allows::Signs, "export NAME='{}' && run"),
    ("before a command", Allows::Plain, "NAME={} ./run.sh"),
    ("docker run", Allows::Plain, "docker run -e NAME={} image"),
    ("docker run, quoted", Allows::Signs, "docker run -e 'NAME={}' image"),
    ("Dockerfile ENV with a space", Allows::Signs, "FROM a\nENV NAME {}\nRUN b\n"),
    ("Dockerfile ENV", Allows::Signs, "ENV NAME={}\n"),
    ("fish", Allows::Plain, "set -gx NAME {}\n"),
    ("csh", Allows::Plain, "setenv NAME {}\n"),
    ("Windows", Allows::Plain, "setx NAME {}\n"),
    ("PowerShell", Allows::Signs, "$env:NAME = \"{}\"\n"),
    ("yaml", Allows::SignsInside, "db:\n  NAME: {}\n  host: db\n"),
    ("yaml, quoted", Allows::Signs, "db:\n  NAME: \"{}\"\n"),
    ("yaml, single quotes", Allows::Signs, "  NAME: '{}'\n"),
    ("yaml block", Allows::SignsInside, "  NAME: |\n    {}\n  host: db\n"),
    ("yaml folded block", Allows::SignsInside, "NAME: >-\n  {}\nhost: db\n"),
    ("yaml, next line", Allows::SignsInside, "NAME:\n  {}\nhost: db\n"),
    ("kubernetes name and value", Allows::Signs, "env:\n- name: NAME\n  value: \"{}\"\n"),
    ("kubernetes, bare", Allows::SignsInside, "env:\n  - name: NAME\n    value: {}\n"),
    ("json", Allows::Signs, "{\"user\": \"bob\", \"NAME\": \"{}\"}"),
    ("json in json", Allows::Signs, "{\\\"user\\\":\\\"bob\\\",\\\"NAME\\\":\\\"{}\\\"}"),
    ("json, next line", Allows::Signs, "{\n  \"NAME\":\n    \"{}\"\n}"),
    ("json name and value", Allows::Signs, "[{\"name\": \"NAME\", \"value\": \"{}\"}]"),
    ("json key and value", Allows::Signs, "{\"key\":\"NAME\",\"value\":\"{}\",\"type\":\"text\"}"),
    ("toml", Allows::Signs, "[db]\nNAME = \"{}\"\n"),
    ("ini", Allows::SignsInside, "[db]\nNAME = {}\n"),
    ("properties", Allows::SignsInside, "app.NAME={}\n"),
    ("python", Allows::Signs, "NAME = '{}'\n"),
    ("python, typed", Allows::Signs, "NAME: str = \"{}\"\n"),
    ("python environ", Allows::Signs, "os.environ['NAME'] = '{}'\n"),
    ("python getenv default", Allows::Signs, "x = os.getenv('NAME', '{}')\n"),
    ("python environ.get default", Allows::Signs, "x = os.environ.get(\"NAME\", \"{}\")\n"),
    ("python or", Allows::Signs, "x = os.environ.get('NAME') or '{}'\n"),
    ("javascript", Allows::Signs, "const NAME = '{}';\n"),
    ("javascript object", Allows::Signs, "const c = { user: 'bob', NAME: '{}' };\n"),
    ("javascript default", Allows::Signs, "const x = process.env.NAME || '{}';\n"),
    ("javascript nullish", Allows::Signs, "const x = process.env.NAME ?? \"{}\";\n"),
    ("typescript", Allows::Signs, "private readonly NAME: string = \"{}\";\n"),
    ("go", Allows::Signs, "cfg := Config{User: \"bob\", NAME: \"{}\"}\n"),
    ("go short", Allows::Signs, "NAME := \"{}\"\n"),
    ("rust", Allows::Signs, "let NAME: &str = \"{}\";\n"),
    ("java", Allows::Signs, "String NAME = \"{}\";\n"),
    ("ruby", Allows::Signs, "config.NAME = '{}'\n"),
    ("ruby hash", Allows::Signs, "{ 'NAME' => '{}' }\n"),
    ("php define", Allows::Signs, "define('NAME', '{}');\n"),
    ("php array", Allows::Signs, "'NAME' => '{}',\n"),
    ("laravel env", Allows::Signs, "'x' => env('NAME', '{}'),\n"),
    ("shell default", Allows::NoTags, "X=${NAME:-{}}\n"),
    ("table", Allows::Plain, "| Name | Value |\n|---|---|\n| NAME | {} |\n"),
    ("table with code", Allows::Plain, "| `NAME` | `{}` |\n"),
    ("C# property", Allows::Signs, "public string NAME { get; set; } = \"{}\";\n"),
    ("grep", Allows::Signs, "deploy/.env:3:NAME={}\n"),
    ("lines in json", Allows::Signs, "{\"stdout\":\"NAME={}\\nPORT=1\"}"),
    ("terraform variable", Allows::Signs, "variable \"NAME\" {\n  type    = string\n  default = \"{}\"\n}\n"),
    ("terraform tfvars", Allows::Signs, "NAME = \"{}\"\n"),
    ("xml element", Allows::NoTags, "<server><NAME>{}</NAME></server>"),
    ("xml attribute pair", Allows::NoTags, "<add key=\"NAME\" value=\"{}\" />"),
    ("xml named content", Allows::NoTags, "<string name=\"NAME\">{}</string>"),
    ("plist", Allows::NoTags, "<key>NAME</key>\n<string>{}</string>"),
    ("client's own output", Allows::Plain, "<bash-stdout>NAME={}</bash-stdout>"),
    ("client's own arguments", Allows::Plain, "<command-args>NAME: {}</command-args>"),
    ("flag", Allows::Plain, "tool --FLAG {} --verbose"),
    ("flag with a sign", Allows::Plain, "tool --FLAG={} --verbose"),
    ("argv", Allows::Signs, "[\"tool\", \"--FLAG\", \"{}\"]"),
    ("argv, lines", Allows::Signs, "args:\n  - \"--FLAG\"\n  - \"{}\"\n"),
    ("query", Allows::Plain, "GET /x?NAME={}&y=1"),
    ("header", Allows::Plain, "X-NAME: {}\n"),
    ("markdown", Allows::Plain, "- **NAME:** {}\n"),
    ("markdown code", Allows::Signs, "Set `NAME=\"{}\"` first.\n"),
    ("chat", Allows::Plain, "NAME: {}"),
    ("diff", Allows::Signs, "-NAME=\n+NAME={}\n"),
    ("numbered lines", Allows::Signs, "     1→HOST=db\n     2→NAME={}\n     3→PORT=1\n"),
    ("log", Allows::Plain, "INFO starting with NAME={} host=db"),
    ("setter", Allows::Signs, "client.set_NAME(\"{}\")\n"),
    ("connection string", Allows::Plain, "Server=db;NAME={};Encrypt=true"),
    ("json.dumps in a log", Allows::Signs, "body={'NAME': '{}'}\n"),
    ("quoted command, ssh", Allows::Plain, "ssh prod \"NAME={} ./deploy.sh\""),
    ("quoted command, shell", Allows::Plain, "bash -c 'NAME={} node x'"),
    ("quoted command, exported", Allows::Plain, "sh -c 'export NAME={} && node x'"),
    ("quoted command, and another", Allows::Plain, "sh -c \"NAME={}; run --all\""),
    ("quoted command, second variable", Allows::Plain, "sh -c \"A=1 NAME={} run\""),
    ("quoted command, quoted value", Allows::Signs, "sh -c \"NAME='{}' run --all\""),
    ("package script", Allows::Plain, "  \"scripts\": {\n    \"start\": \"NAME={} node .\"\n  }"),
    ("systemd, two variables", Allows::Plain, "[Service]\nEnvironment=\"NAME={} B=2\"\n"),
    ("connection string in quotes", Allows::Plain, "dsn = \"NAME={} host=h\"\n"),
    ("command in json", Allows::Plain, "{\"cmd\":\"NAME={} ./run\",\"timeout\":5}"),
    ("command in json, list", Allows::Plain, "{\"command\":[\"bash\",\"-lc\",\"NAME={} ./run | tail\"]}"),
    ("command in json, quotes", Allows::Plain, "{\"cmd\":\"NAME={} sh -c \\\"run x\\\"\"}"),
    ("command in json in json", Allows::Plain, "{\\\"cmd\\\":\\\"NAME={} ./run\\\",\\\"n\\\":5}"),
];

/// Names as spelled, and whether a person chose the value.
pub const NAMES: &[(&str, bool)] = &[
    ("DB_PASSWORD", true),
    ("password", true),
    ("dbPassword", true),
    ("DB_PASSWORD_PROD", true),
    ("PASSWORD2", true),
    ("MYSQL_PWD", true),
    ("SMTP_PASS", true),
    ("Passwort", true),
    ("contraseña", true),
    ("密码", true),
    ("SECRET_KEY", false),
    ("JWT_SECRET", false),
    ("client_secret", false),
    ("apiKey", false),
    ("API_KEY_STAGING", false),
    ("DD_APP_KEY", false),
    ("HMAC_KEY", false),
    ("AES_KEY", false),
    ("OPENAI_KEY", false),
    ("FERNET_KEY", false),
    ("auth_token", false),
    ("GITHUB_TOKEN", false),
    ("accessToken", false),
    ("AWS_SECRET_ACCESS_KEY", false),
];

/// Forms that are specific to their secret: the kind, the value's format, and the text.
#[rustfmt::skip]
pub const SPECIAL: &[(&str, &str, &str)] = &[
    ("docker auth", "{login}", "{\"auths\": {\"r.example\": {\"auth\": \"{}\"}}}"),
    ("npmrc _auth", "{login}", "//registry.example/:_auth={}"),
    ("npmrc token", "{A36}", "//registry.example/:_authToken={}"),
    ("sql create role", "{pw}", "CREATE ROLE app LOGIN PASSWORD '{}';"),
    ("sql alter user", "{pw}", "alter user app with password '{}';"),
    ("sql identified by", "{pw}", "CREATE USER 'app'@'%' IDENTIFIED BY '{}';"),
    ("sql set password", "{pw}", "SET PASSWORD FOR 'app'@'%' = PASSWORD('{}');"),
    ("sql identified, plugin", "{pw}", "ALTER USER app IDENTIFIED WITH caching_sha2_password BY '{}';"),
    ("cookie jar", "{A32}", ".host.example\tTRUE\t/\tFALSE\t1893456000\tsessionid\t{}\n"),
    ("cookie jar, only http", "{T48}", "#HttpOnly_host.example\tFALSE\t/\tTRUE\t0\tsid\t{}\n"),
    ("cookie header", "{A40}", "Cookie: theme=dark; session={}; lang=en"),
    ("set-cookie", "{A40}", "Set-Cookie: sid={}; Path=/; HttpOnly"),
    ("cookie of curl", "{A40}", "curl -b 'session={}' https://host.example"),
    ("jwk rsa", "{T86}", "{\"kty\":\"RSA\",\"n\":\"0vx7\",\"e\":\"AQAB\",\"d\":\"{}\"}"),
    ("jwk symmetric", "{T43}", "{\"kty\": \"oct\", \"alg\": \"HS256\", \"k\": \"{}\"}"),
    ("address", "{A18}", "postgres://app:{}@db.example:5432/shop"),
    ("address, redis", "{A18}", "redis://:{}@localhost:6379/0"),
    ("bearer", "{A40}", "Authorization: Bearer {}"),
    ("bearer in an element", "{A40}", "<pre>Authorization: Bearer {}</pre>"),
    ("basic", "{login}", "Authorization: Basic {}"),
    ("authorization in a HAR", "{A40}", "{\"name\": \"Authorization\", \"value\": \"Bearer {}\"}"),
    ("curl user", "{A18}", "curl -u admin:{} https://host.example"),
    ("mysql", "{A18}", "mysql -u root -p{} shop"),
    ("sshpass", "{A18}", "sshpass -p {} ssh host"),
    ("redis-cli", "{A18}", "redis-cli -a {} ping"),
    ("redis.conf", "{A18}", "port 6379\nrequirepass {}\n"),
    ("netrc", "{A18}", "machine host.example login bob password {}"),
    ("pgpass", "{A18}", "localhost:5432:shop:bob:{}"),
    ("azure account", "{B86}", "AccountName=a;AccountKey={};EndpointSuffix=b"),
    ("azure signature", "{A43}", "https://a.blob.core.windows.net/c?sv=2024&sig={}%3D&sp=r"),
    ("slack webhook", "T{U8}/B{U8}/{A24}", "https://hooks.slack.com/services/{}"),
    ("discord webhook", "{D18}/{T68}", "https://discord.com/api/webhooks/{}"),
    ("teams webhook", "{uuid}@{uuid}/IncomingWebhook/{H32}/{uuid}", "https://a.webhook.office.com/webhookb2/{}"),
    ("gitlab session", "{L32}", "_gitlab_session={}"),
    ("sentry dsn", "{H32}", "https://{}@o123.ingest.sentry.io/456"),
    ("kubeconfig", "{A120}", "users:\n- user:\n    client-key-data: {}\n"),
    ("wireguard", "{A43}=", "[Interface]\nPrivateKey = {}\n"),
    ("wordpress salt", "{A64}", "define('AUTH_SALT', '{}');"),
    ("config set", "{A40}", "aws configure set aws_secret_access_key {}"),
    ("mot de passe", "{pw}", "mot de passe : {}"),
    ("api key in words", "{A40}", "API key: {}"),
    ("wide colon", "{pw}", "密码：{}"),
    ("csv", "{A40}", "HOST,db\nDB_PASSWORD,{}\nPORT,5432\n"),
    ("gh secret", "{A40}", "gh secret set DEPLOY_TOKEN --body \"{}\""),
    ("gh secret, short", "{pw}", "gh secret set DB_PASSWORD -b '{}'"),
    ("az keyvault", "{A40}", "az keyvault secret set --vault-name v --name db --value {}"),
    ("aws ssm", "{A40}", "aws ssm put-parameter --name /app/db_password --value {} --type SecureString"),
    ("curl, only the password quoted", "{A18}", "curl --user bob:'{}' https://host.example"),
    ("curl, both quoted", "{A18}", "curl -u 'bob':\"{}\" https://host.example"),
    ("curl, several flags", "{A18}", "curl -sSu bob:{} https://host.example"),
    ("curl, proxy", "{A18}", "curl -U bob:{} -x proxy https://host.example"),
    ("openssl", "{A18}", "openssl enc -aes-256-cbc -pass pass:{} -in a -out b"),
    ("openssl, in", "{A18}", "openssl rsa -in a.pem -passin 'pass:{}'"),
    ("openssl, out", "{pw}", "openssl genrsa -aes256 -passout pass:'{}' 2048"),
    ("openssl, argv", "{A18}", "[\"openssl\", \"rsa\", \"-passin\", \"pass:{}\"]"),
    ("smbclient", "{A18}", "smbclient //host/share -U bob%{} -c ls"),
    ("smbclient, quoted", "{pw}", "smbclient -U 'CORP\\bob%{}' //host/share"),
    ("htpasswd", "{A18}", "htpasswd -b /etc/nginx/.htpasswd bob {}"),
    ("htpasswd, printed", "{A18}", "htpasswd -nbB bob '{}' > auth"),
    ("chpasswd", "{A18}", "echo \"bob:{}\" | sudo chpasswd"),
    ("chpasswd, here-string", "{A18}", "chpasswd <<< 'bob:{}'"),
    ("chpasswd, here-document", "{A18}", "chpasswd <<EOF\nroot:$ROOT\nbob:{}\nEOF\n"),
    ("sudo", "{A18}", "echo {} | sudo -S apt-get update"),
    ("sudo, quoted", "{pw}", "echo '{}' | sudo -k -S -p '' true"),
    ("sudo, printf", "{A18}", "printf '%s\\n' \"{}\" | sudo -kS true"),
    ("sudo, here-string", "{A18}", "sudo -S true <<< {}"),
    ("bearer on the next line", "{A40}", "curl -H \"Authorization: Bearer \\\n  {}\" https://host.example"),
    ("bearer of letters", "{M40}", "Authorization: Bearer {}"),
    ("pair", "{A40}", "[[\"HOST\",\"db\"],[\"DB_PASSWORD\",\"{}\"]]"),
    ("sidekiq", "{H8}", "https://a1b2c3d4:{}@gems.contribsys.com/"),
    ("in a sentence", "{pw}", "the password is {} on staging"),
    ("in a sentence, quoted", "{A18}", "用户名为 'shop'，密码为 '{}'。"),
    ("in a Chinese sentence", "{pw}", "用户名是root，密码是{} 请记住"),
    ("in a German sentence", "{A18}", "Das Passwort ist '{}', bitte nicht weitergeben."),
    ("in a French sentence", "{A18}", "le mot de passe est \"{}\""),
];

/// A value of this kind that the form allows.
pub(super) fn value(kind: ValueKind, allows: Allows, filler: &mut Filler) -> String {
    match kind {
        ValueKind::Password => {
            format!("{}2!{}", filler.chars("abcdefghijklmnop", 6), filler.chars("KXYZ", 2))
        }
        ValueKind::Seasonal => {
            let words =
                ["Enterprise", "Summer", "Welcome", "Environment", "Winter", "Insert", "Example", "Monday"];
            // `Example` marks placeholders.
            let word = words[filler.number(words.len())].replace("Example", "Exampel");
            format!("{word}{}!", 2000 + filler.number(60))
        }
        ValueKind::Symbols => loop {
            let text = filler.chars(&format!("{}{SYMBOLS}", super::ALNUM), 20);
            let first = text.chars().next().expect("twenty");
            let fits = match allows {
                Allows::Signs => true,
                Allows::SignsInside => first.is_ascii_alphanumeric() && !text.ends_with(':'),
                Allows::NoTags => !text.contains(['<', '&', '>', '}']),
                Allows::Plain => !text.contains(|c: char| SIGNS_OF_SHELLS.contains(c)),
            };
            if fits {
                return text;
            }
        },
        ValueKind::Hex => filler.chars(super::HEX, 32),
        ValueKind::Alnum => filler.chars(super::ALNUM, 40),
        ValueKind::Base64 => format!("{}=", filler.chars(super::BASE64, 43)),
        ValueKind::Django => loop {
            let text = filler.chars("abcdefghijklmnopqrstuvwxyz0123456789!@#$%^&*(-_=+)", 50);
            let tags = allows == Allows::NoTags && text.contains('&');
            let plain = allows == Allows::Plain && text.contains(|c: char| SIGNS_OF_SHELLS.contains(c));
            if allows == Allows::SignsInside && !text.starts_with(|c: char| c.is_ascii_alphanumeric()) || tags
            {
                continue;
            }
            if plain {
                return text.replace(|c: char| SIGNS_OF_SHELLS.contains(c), "_");
            }
            return text;
        },
    }
}

/// Characters that would end a word in a shell, an address or a sentence.
const SIGNS_OF_SHELLS: &str = "#$%^&*()[]{};:,.<>/?|~=+!@";

/// A name in the style of a flag.
pub(super) fn flag(name: &str) -> String {
    let mut flag = String::new();
    let mut before = '_';
    for c in name.chars() {
        if c.is_ascii_uppercase() && before.is_ascii_lowercase() {
            flag.push('-');
        }
        before = c;
        flag.push(if c == '_' { '-' } else { c.to_ascii_lowercase() });
    }
    flag
}
