//! Wordings and changes that decide: written before the rules of this edition, and not looked at while they were written.
//! What a summariser might write, not what a rule looks for; also in languages that the lexicon does not know. The bench
//! prints how many of them are told, and none of their cases.

/// Of one task.
pub const TASK_DONE: &[&str] = &[
    "   1. {task}: ✔ done in this session",
    "Finished {doing}; moving on.",
    "   - {task}: implemented and verified",
    "I completed \"{task}\" before the context ran out.",
    "   - {task} [DONE]",
    "   | {task} | Completed |",
    "{doing} was wrapped up successfully.",
    "Work on {thing} is now finished and committed.",
    "   - ☑️ {task}",
    "The item \"{task}\" has been closed.",
    "**Completed**: {task}",
    "Completed Tasks:\n   - {task}",
    "Successfully finished {doing}.",
    "   - {task} -> complete",
    "What was accomplished so far: {doing}.",
    "   - {task} (ya está hecho)",
    "   - {task} : c'est fait",
    "   - {task} ist fertig",
    "   - {task}: готово",
    "   - {task} は対応済みです",
    "   - {task} 已经做完了",
    "   - {task}: fatto",
    "   - {task}: já foi feito",
    "   - {task} 끝냈습니다",
    "   - {task}: afgerond",
];

/// Of everything.
pub const ALL_DONE: &[&str] = &[
    "7. Pending Tasks:\n   - All requested work has been delivered; nothing further is required.",
    "8. Current Work:\n   The to-do list is empty.",
    "7. Pending Tasks:\n   - (none remaining)",
    "7. Remaining Work: nothing.",
    "8. Current Work:\n   All items on the todo list have been checked off.",
    "8. Current Work:\n   Every to-do is finished, and we are waiting for new instructions.",
    "7. Pending Tasks:\n   No outstanding items.",
    "8. Current Work: the task list is fully complete.",
    "7. Pendientes:\n   - Ninguno",
    "7. Tâches restantes :\n   - Aucune",
    "8. Текущая работа:\n   Все задачи выполнены.",
    "8. 当前工作：\n   全部工作都做完了。",
    "8. 現在の作業:\n   残っているタスクはありません。",
    "8. 현재 작업:\n   모든 작업이 끝났습니다.",
    "7. Openstaande taken:\n   - Geen",
];

/// True sentences about one open task.
pub const TASK_OPEN: &[&str] = &[
    "   - {task}: not started",
    "   - {task} (blocked)",
    "Remaining: {task}",
    "   - {task}: todo",
    "I was about to start {doing}.",
    "{doing} was begun but is unfinished.",
    "Everything else is finished; only {doing} remains.",
    "Could not complete {doing}.",
    "The plan is to have {doing} done by the end of the day.",
    "Completed the analysis needed for {doing}.",
    "   - {task} (a medias)",
    "   - {task}：还没做完",
    "   - {task}: なお作業中",
    "   - {task}: wird gerade erledigt",
];

/// Of the tests.
pub const TESTS_PASS: &[&str] = &[
    "Running the suite shows zero failures.",
    "Test suite passes.",
    "Every test is passing at this point.",
    "The tests are all green again.",
    "All checks and tests succeed.",
    "Test results: 100% passing.",
    "Tous les tests passent.",
    "Todas las pruebas pasan.",
    "Все тесты проходят.",
    "全部测试都通过了。",
    "테스트가 모두 통과합니다.",
];

/// True or cautious sentences about the tests.
pub const TESTS_UNSURE: &[&str] = &[
    "The goal is to have all tests passing.",
    "The user wants every test to pass.",
    "Some tests pass, others do not.",
    "Tests passed before the last refactoring.",
    "Run the tests and confirm that they pass.",
    "Es ist unklar, ob die Tests durchlaufen.",
];

/// The user is said to have said what the agent said.
pub const ATTRIBUTED: &[&str] = &[
    "The user requires that {said}",
    "Per the user's instruction, {said}",
    "As the user put it, {said}",
    "The user's preference: {said}",
    "User decision: {said}",
    "User feedback was that {said}",
    "The user decided that {said}",
    "The user made clear that {said}",
    "L'utilisateur a demandé que {said}",
    "Der Benutzer hat entschieden: {said}",
    "Пользователь сказал, что {said}",
    "用户说：{said}",
    "ユーザーの指示：{said}",
];

/// True sentences that name the user.
pub const ATTRIBUTED_TRUE: &[&str] = &[
    "I told the user that {said}",
    "The assistant noted that {said}",
    "I explained to the user that {said}",
    "The user was informed that {said}",
];

/// A quotation of the user's.
pub const INVENTED: &[&str] = &[
    "6. All user messages:\n   - User: \"{said}\"",
    "The user's exact words were: \"{said}\"",
    "Most recent instruction from the user: \"{said}\"",
    "The user requested: \"{said}\"",
    "L'utilisateur a écrit : « {said} »",
    "用户说：“{said}”",
];

/// True sentences with a quotation of somebody else.
pub const QUOTED_TRUE: &[&str] =
    &["The README says: \"{said}\"", "The error message reads \"{said}\"", "I answered the user: \"{said}\""];

/// Where a changed detail stands.
pub const DETAIL: &[&str] =
    &["Update: {said}", "Remember that {said}", "   * {said} (see above)", "Важно: {said}"];

/// A number changed in another way than a digit.
pub fn changed_numbers(number: &str) -> Vec<(&'static str, String)> {
    let digits: Vec<usize> =
        number.bytes().enumerate().filter(|(_, b)| b.is_ascii_digit()).map(|(at, _)| at).collect();
    let mut all = Vec::new();
    if let [.., a, b] = digits[..]
        && number.as_bytes()[a] != number.as_bytes()[b]
        && b == a + 1
    {
        let mut bytes = number.as_bytes().to_vec();
        bytes.swap(a, b);
        all.extend(String::from_utf8(bytes).ok().map(|new| ("{in place}: digits swapped", new)));
    }
    if let Some(last) = digits.last() {
        all.push(("{in place}: ten times as much", format!("{}0{}", &number[..=*last], &number[last + 1..])));
    }
    all
}

/// A file name changed in another way than by a letter less.
pub fn changed_names(name: &str) -> Vec<(&'static str, String)> {
    let Some((stem, ending)) = name.rsplit_once('.') else { return Vec::new() };
    let other = match ending {
        "ts" => "js",
        "tsx" => "jsx",
        "js" => "ts",
        "py" => "rb",
        "go" => "rs",
        "md" => "txt",
        "json" => "yaml",
        _ => return Vec::new(),
    };
    let doubled =
        stem.char_indices().nth(2).map(|(at, c)| format!("{}{c}{}.{ending}", &stem[..at], &stem[at..]));
    let mut all = vec![("{in place}: another ending", format!("{stem}.{other}"))];
    all.extend(doubled.map(|new| ("{in place}: a letter twice", new)));
    all
}
