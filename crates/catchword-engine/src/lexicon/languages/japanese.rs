//! Japanese.

use super::Sense::{
    AboutRules, Announces, Decides, Denied, Done, Doubt, Each, ForNow, Forbids, Lasting, LeftOut, Looks,
    Negation, Nod, NotDone, Objects, Once, Order, Permits, Question, Reason, Rule, Sets, TakesBack, Tongue,
    Unsettled, Wants,
};
use super::{Language, says};

pub const JAPANESE: Language = Language {
    name: "Japanese",
    spaced: false,
    entries: &[
        says(Announces, "^次に, ^これから", "次にテストを書きます。"),
        says(Looks, "確認, 調べ, 読み, 見て", "次にログを確認します。"),
        says(Unsettled, "まだ, ただし, 足りな, ため, 原因, ままで", "出力は latin-1 のままです。"),
        says(
            Rule,
            "ないで, しないこと, するな, てはいけ, てはなら, ないように, やめて, 禁止, 前に確認して, 前に必ず, 前に聞いて, 前に相談して, 前に一言",
            "本番のデータを消さないでください。",
        ),
        says(Lasting, "必ず, 常に, 今後, これから", "必ずテストを実行してください。"),
        says(Question, "か$, ますか, なぜ", "何をしますか"),
        says(
            Forbids,
            "ないで, しないこと, するな, てはいけ, てはなら, ないように, やめて, 禁止",
            "消さないで。",
        ),
        says(Negation, "ない, ません", "できません"),
        says(Permits, "てもいい, ても構いません, ても大丈夫", "もうプッシュしてもいいです。"),
        says(TakesBack, "忘れて, 取り消し, なかったこと", "そのルールは忘れてください。"),
        says(
            Denied,
            "適用されなくなった, もう適用されない, 取り消された, 撤回, 無効になった, 廃止",
            "その規則は撤回された。",
        ),
        says(Once, "今回だけ, 今回は", "今回だけ使っていいです。"),
        says(ForNow, "一時的, とりあえず", "とりあえずこのテストを無効にします。"),
        says(AboutRules, "ルール, 規則, 重要, 注意", "プロジェクトのルール"),
        says(Order, "ください$, 下さい$, こと$, てね$, お願いします$, お願い$", "テストを実行してください。"),
        says(Nod, "はい, 続けて, お願いします, ありがとう, 了解, いいよ", "はい、続けて"),
        says(Objects, "^いや, ^違, ^いいえ", "違います。"),
        says(Reason, "なぜなら, のため, ので, から$", "請求のため分けます。"),
        says(Decides, "ことにしました, を選びました, に決めました", "一つの表を使うことにしました。"),
        says(Doubt, "かもしれ, おそらく, たぶん, もし", "キャッシュかもしれません"),
        says(NotDone, "未着手, まだ, 未完了, 残り", "エクスポートは未着手です。"),
        says(Done, "完了, 追加しました, 修正しました, 更新しました, 削除しました", "解析器は完了です。"),
        says(LeftOut, "対象外, スコープ外", "対象外"),
        says(Wants, "てほしい$, て欲しい$", "テストを付けてほしい。"),
        says(Each, "^すべての, ^全ての, ^各", "すべての関数"),
        says(Sets, "使って, 使用して, 答えて, 返信して, 返答して", "日本語で答えてください。"),
        says(
            Tongue,
            "日本語, 英語, ドイツ語, フランス語, スペイン語, 中国語, 韓国語",
            "日本語で答えてください。",
        ),
    ],
};
