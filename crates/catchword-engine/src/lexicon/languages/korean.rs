//! Korean.

use super::Sense::{
    AboutRules, Announces, Decides, Denied, Done, Doubt, ForNow, Forbids, Lasting, LeftOut, Looks, Negation,
    Nod, NotDone, Objects, Once, Order, Permits, Question, Reason, Rule, Sets, TakesBack, Tongue, Unsettled,
};
use super::{Language, says};

pub const KOREAN: Language = Language {
    name: "Korean",
    spaced: false,
    entries: &[
        says(Announces, "^이제, ^다음으로, ^먼저", "이제 테스트를 작성하겠습니다."),
        says(Looks, "확인, 살펴, 읽어, 찾아", "이제 로그를 확인하겠습니다."),
        says(Unsettled, "아직, 하지만, 부족, 때문, 원인", "내보내기는 아직 latin-1입니다."),
        says(
            Rule,
            "지 마, 지마, 지 말, 하지말, 말 것, 금지, 말아, 전에 먼저 물어, 전에 물어, 전에 먼저 확인, 전에 확인, 전에 저에게",
            "main 브랜치에 푸시하지 마세요.",
        ),
        says(Lasting, "항상, 반드시, 앞으로, 무조건, 지금부터", "항상 테스트를 먼저 실행해 주세요."),
        says(Question, "까$, 나요$, 왜", "무엇일까"),
        says(Forbids, "지 마, 지마, 지 말, 하지말, 말 것, 금지, 말아", "푸시하지 마세요."),
        says(Negation, "않, 못, 없", "되지 않습니다"),
        says(Permits, "해도 됩니다, 해도 돼, 해도 좋", "이제 푸시해도 됩니다."),
        says(TakesBack, "잊어, 취소", "그 규칙은 잊어 주세요."),
        says(Denied, "더 이상 적용되지, 철회, 취소되었, 취소됐, 무효가 되, 폐기", "그 규칙은 철회되었다."),
        says(Once, "이번만, 이번에는", "이번만 써도 됩니다."),
        says(ForNow, "임시로, 일단, 당분간", "일단 테스트를 비활성화합니다."),
        says(AboutRules, "규칙, 중요, 지침", "프로젝트 규칙"),
        says(Order, "세요$, 해줘$, 해 줘$, 할 것$, 하기$, 해라$, 합시다$", "테스트를 실행하세요."),
        says(Nod, "네, 예, 계속, 좋아, 좋아요, 고마워, 감사합니다", "네, 계속"),
        says(Objects, "^아니, ^틀", "아니요, 다른 것을 쓰세요."),
        says(Reason, "때문, 왜냐하면, 위해", "로그 때문에 나눕니다."),
        says(Decides, "하기로 했, 선택했, 결정했", "테이블 하나를 쓰기로 결정했습니다."),
        says(Doubt, "아마, 일 수 있, 만약", "아마 캐시입니다"),
        says(NotDone, "아직, 시작하지 않, 남은 작업, 미완료", "내보내기는 아직 없습니다."),
        says(Done, "완료, 추가했, 수정했, 업데이트했, 삭제했", "파서는 완료했습니다."),
        says(LeftOut, "범위 외, 범위 밖", "범위 외"),
        says(Sets, "사용, 써 주세요, 답해, 답변해, 대답해", "한국어로 답해 주세요."),
        says(Tongue, "한국어, 영어, 독일어, 프랑스어, 스페인어, 중국어, 일본어", "한국어로 답해 주세요."),
    ],
};
