//! Chinese.

use super::Sense::{
    AboutRules, Announces, Decides, Denied, Done, Doubt, ForNow, Forbids, Lasting, LeftOut, Looks, Negation,
    Nod, NotDone, Objects, Once, Order, Permits, Question, Reason, Rule, Sets, TakesBack, Tongue, Unsettled,
};
use super::{Language, says};

pub const CHINESE: Language = Language {
    name: "Chinese",
    spaced: false,
    entries: &[
        says(Announces, "^让我, ^我来, ^我将, ^接下来, ^现在我", "让我编写测试。"),
        says(Looks, "检查, 看看, 查看, 阅读, 查找, 了解", "让我查看日志。"),
        says(Unsettled, "仍, 还没, 目前, 但是, 缺少, 所以, 原因", "导出目前还是 latin-1。"),
        says(
            Rule,
            "不要, 不得, 禁止, 绝不, 切勿, 请勿, 勿要, 别再, !要不要, !不要紧, !不得不, !不得了, 先问我, 先问一下我, 先跟我, 先和我, 先经过我, 别动, 别碰, 不许, 不准, 希望每个, 希望所有, 要求每个, 要求所有",
            "不要修改数据库迁移文件。",
        ),
        says(Lasting, "务必, 必须, 始终, 总是, 从现在起, 以后", "请始终使用 pnpm。"),
        says(Question, "吗$, 呢$, 为什么, 怎么", "可以吗"),
        says(Forbids, "不要, 不得, 禁止, 绝不, 切勿, 请勿, 勿要, 别再", "禁止直接推送。"),
        says(Negation, "不, 没, 别", "不是"),
        says(Permits, "可以了, 允许了, 现在可以", "现在可以推送了。"),
        says(TakesBack, "忘掉, 不用管, 作废", "忘掉那条规则。"),
        says(
            Denied,
            "作废, 不再适用, 不再有效, 已撤回, 已撤销, 已取消, 收回了, 已过时, 已废弃",
            "这条规则不再适用。",
        ),
        says(Once, "这一次, 这次, 仅此一次", "这次可以。"),
        says(ForNow, "暂时, 临时", "我暂时禁用这个测试。"),
        says(AboutRules, "规则, 约定, 要求, 重要", "项目规则"),
        says(
            Order,
            "^请, ^务必, ^必须, ^始终, ^从现在起, ^以后, ^总是用, ^总是使用, ^添加, ^修改, ^删除",
            "请运行测试。",
        ),
        says(Nod, "好的, 好, 继续, 可以, 是的, 谢谢, 对", "好的，继续"),
        says(Objects, "^不, ^没有, ^错", "不对，用另一个。"),
        says(Reason, "因为, 以便", "因为计费需要日志。"),
        says(Decides, "我决定, 我选择, 决定采用, 决定使用", "我决定采用一张表。"),
        says(Doubt, "可能, 也许, 如果, 大概", "可能是缓存"),
        says(NotDone, "尚未, 还没有, 未完成, 待办, 剩余", "导出功能尚未开始。"),
        says(Done, "完成, 已添加, 已修复, 已更新, 已删除", "解析器已完成。"),
        says(LeftOut, "不在范围, 范围外", "不在范围"),
        says(Sets, "使用, 用, 回答, 回复", "用中文回答。"),
        says(Tongue, "中文, 英文, 英语, 德语, 德文, 法语, 西班牙语, 日语, 日文, 韩语, 俄语", "用中文回答。"),
    ],
};
