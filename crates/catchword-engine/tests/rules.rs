//! Which sentences of a person are rules in force, in many people's wording. The tables were written before the phrases
//! of the lexicon.

#[allow(dead_code, reason = "each test file uses its part")]
mod shared;

use catchword_engine::session::instructions::in_force;
use catchword_testkit::Transcript;
use shared::fold;

fn rules_after(prompts: &[&str]) -> Vec<String> {
    let session =
        prompts.iter().fold(Transcript::new(), |session, prompt| session.prompt(prompt).says("Ok."));
    in_force(&fold(&session)).into_iter().map(|rule| rule.text).collect()
}

const RULES: &[&str] = &[
    "ask before touching the schema",
    "Tests first, then code.",
    "The port 8443 is reserved, leave it alone.",
    "I want every endpoint documented.",
    "Check with me before you change anything under infra/.",
    "All new code must have type hints.",
    "Hands off the vendored directory.",
    "The lock file stays as it is.",
    "One commit per change.",
    "Small commits only.",
    "I expect every function to have a docstring.",
    "You need my OK for any deploy.",
    "Talk to me before adding a dependency.",
    "Answer in German.",
    "Use port 5433.",
    "Nothing gets pushed without my review.",
    "Treat warnings as errors.",
    "Leave the legacy folder alone.",
    "secrets belong in the vault, not in the repo",
    "wait for my go before you merge",
    "Whatever you do, keep the API stable.",
    "Frag mich, bevor du das Schema anfasst.",
    "Erst Tests, dann Code.",
    "Der Port 8443 ist reserviert, lass ihn in Ruhe.",
    "Ich will, dass jeder Endpunkt dokumentiert ist.",
    "Antworte auf Deutsch.",
    "Lass die CI in Ruhe.",
    "Vor jedem Commit die Tests laufen lassen.",
    "Ohne Rücksprache wird nichts gelöscht.",
    "Der Ordner legacy/ ist tabu.",
    "Pregúntame antes de tocar el esquema.",
    "Primero las pruebas, luego el código.",
    "El puerto 8443 está reservado, déjalo en paz.",
    "Quiero que cada endpoint esté documentado.",
    "Responde en español.",
    "Nada de dependencias nuevas.",
    "Demande-moi avant de toucher au schéma.",
    "D'abord les tests, ensuite le code.",
    "Le port 8443 est réservé, n'y touche pas.",
    "Je veux que chaque endpoint soit documenté.",
    "Réponds en français.",
    "Aucune nouvelle dépendance.",
    "Pergunte antes de mexer no esquema.",
    "Primeiro os testes, depois o código.",
    "Quero cada endpoint documentado.",
    "Responda em português.",
    "Спроси меня, прежде чем менять схему.",
    "Сначала тесты, потом код.",
    "Порт 8443 зарезервирован, не трогай его.",
    "Я хочу, чтобы каждый эндпоинт был задокументирован.",
    "Отвечай по-русски.",
    "改数据库结构之前先问我。",
    "8443 端口是保留的，别动。",
    "我希望每个接口都有文档。",
    "用中文回答。",
    "スキーマを変更する前に確認してください。",
    "ポート8443は予約済みなので触らないで。",
    "すべてのエンドポイントにドキュメントを付けてほしい。",
    "日本語で答えてください。",
    "스키마를 건드리기 전에 먼저 물어봐 주세요.",
    "8443 포트는 예약되어 있으니 건드리지 마세요.",
    "한국어로 답해 주세요.",
];

const NO_RULES: &[&str] = &[
    "No changes.",
    "The port 8443 is in use, kill the process.",
    "I want you to fix the login.",
    "I want a button that exports all rows.",
    "First run the tests, then look at the parser.",
    "Run the tests first, then fix the parser.",
    "Ask the API for the schema.",
    "Every endpoint returns 500.",
    "Leave a comment in the ticket.",
    "Before I forget, the docs are broken.",
    "All tests pass.",
    "Each run takes ten minutes.",
    "Document every endpoint of the billing service.",
    "Use the new parser in cli.rs.",
    "Answer the question in the issue.",
    "Write the README in German.",
    "Tests first passed, then failed.",
    "Only the first test fails",
    "Tell me which tests fail.",
    "Ask Bob what he thinks.",
    "Wait for the build.",
    "Is the port 8443 reserved?",
    "Check the schema before and after the migration.",
    "The first commit only touches the docs.",
    "Ist der Port 8443 reserviert?",
    "Jeder Test schlägt fehl.",
    "Ich will den Login reparieren.",
    "Erst lief der Test, dann nicht.",
    "Lass die Tests laufen.",
    "Frag die API nach dem Schema.",
    "Quiero arreglar el login.",
    "Primero ejecuta los tests y luego mira el parser.",
    "Cada test falla.",
    "Nada funciona.",
    "Je veux corriger le login.",
    "Chaque test échoue.",
    "Aucun test ne passe.",
    "Quero corrigir o login.",
    "Я хочу исправить логин.",
    "Каждый тест падает.",
    "每个测试都失败了。",
    "我想修复登录。",
    "すべてのテストが失敗します。",
    "ログインを直してほしい。",
    "모든 테스트가 실패합니다.",
    "로그인을 고쳐 주세요.",
];

#[test]
fn rules_in_many_wordings_are_in_force() {
    let missed: Vec<_> = RULES.iter().filter(|rule| rules_after(&[**rule]) != [**rule]).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn reports_tasks_and_questions_are_not_in_force() {
    let taken: Vec<_> = NO_RULES.iter().filter(|other| !rules_after(&[**other]).is_empty()).collect();
    assert!(taken.is_empty(), "{taken:#?}");
}
