//! Portuguese.

use super::Sense::{
    AboutRules, Announces, Decides, Denied, Done, Doubt, Each, Filler, First, ForNow, Forbids, Function,
    Join, Lasting, LeftOut, Looks, Negation, Nod, NotDone, Objects, Once, Order, Permits, Question, Reason,
    Rule, Sets, Speaker, Subject, TakesBack, Then, Tongue, Unsettled, Vents, Wants,
};
use super::{Language, says};

pub const PORTUGUESE: Language = Language {
    name: "Portuguese",
    spaced: true,
    entries: &[
        says(Announces, "^vou, ^vamos, ^deixe-me, ^em seguida", "Vou escrever os testes."),
        says(Looks, "ver, olhar, ler, revisar, procurar, verificar, examinar", "Vou verificar os logs."),
        says(
            Unsettled,
            "ainda, continua, continuam, no entanto, falta, por enquanto, a causa, por isso",
            "A exportação continua em latin-1.",
        ),
        says(
            Function,
            "o, a, os, as, um, uma, e, ou, mas, não, eu, você, ele, ela, nós, eles, é, são, está, estão, era, tem, \
             ser, com, em, no, na, nos, nas, neste, nesta, para, por, de, do, da, dos, das, ao, que, como, mais, \
             muito, também, se, seu, isso, isto, este, esta, nunca, jamais, sempre, evite, porque, sim, agora, \
             diante, fora, favor, antes, cada, quero",
            "o parser e os testes",
        ),
        says(
            Filler,
            "ok, e, mas, também, então, sim, bom, por, favor, agora, obrigado",
            "ok, então os testes",
        ),
        says(Join, "e, mas", "rode e pare o teste"),
        says(
            Subject,
            "eu, você, ele, ela, nós, eles, o, a, os, as, um, uma, isso, isto, este, esta, meu, minha, como, \
             que, quem, onde, quando, há, é, está, quase, não",
            "os testes falham",
        ),
        says(Question, "^como, ^que, ^quem, ^onde, ^quando, ^por que, ^você pode", "como isso não passa"),
        says(
            Rule,
            "^nunca, ^jamais, ^sempre, ^evite, ^não use, ^não faça, ^não altere, ^não mexa, ^não toque, \
             ^não apague, ^não remova, ^não edite, ^não mude, ^não crie, ^não adicione, ^não rode, ^não execute, \
             ^não envie, ^não commite, ^não instale, ^não renomeie, ^não *ar, ^não *er, ^não *ir, ^pergunte antes, ^pergunte-me, ^me pergunte, ^fale comigo antes, deixe * * em paz, deixe * * como está, deixe * * * como está, sem minha aprovação, sem a minha aprovação, sem me perguntar",
            "Não altere o esquema do banco.",
        ),
        says(
            Lasting,
            "nunca, sempre, a partir de agora, de agora em diante, daqui em diante, cada vez que, antes de cada",
            "Use sempre pnpm neste projeto.",
        ),
        says(Forbids, "nunca, jamais, não, evite, sem, só", "Evite mocks nos testes do projeto."),
        says(Negation, "não, nunca, jamais, sem", "não mude os testes"),
        says(Permits, "^pode, ^você pode, ^já pode, !você pode ver", "Você já pode; pode enviar os testes."),
        says(
            TakesBack,
            "^esqueça, ^esquece, não vale mais, não se aplica mais",
            "Esqueça a regra dos testes.",
        ),
        says(
            Denied,
            "não vale mais, não se aplica mais, já não vale, retirada, revogada, anulada, obsoleta, obsoleto, substituída por",
            "A regra não vale mais.",
        ),
        says(Once, "desta vez, só hoje, só desta vez", "só desta vez e não mais"),
        says(ForNow, "por enquanto, temporariamente, por ora", "Desativo isso por enquanto."),
        says(
            AboutRules,
            "regra, regras, convenções, importante, instruções",
            "as regras deste projeto não mudam",
        ),
        says(
            Order,
            "^adicione, ^mude, ^altere, ^escreva, ^apague, ^remova, ^crie, ^corrija, ^rode, ^execute, ^renomeie, \
             ^mova, ^use",
            "Adicione os testes do projeto.",
        ),
        says(
            Nod,
            "sim, não, ok, continue, obrigado, obrigada, perfeito, certo, pode, bom, segue",
            "sim, pode, obrigado",
        ),
        says(Objects, "^não, ^errado, ^ainda não", "Não, isso não é o que eu pedi."),
        says(Reason, "porque, para que, já que, o motivo", "Separe isso porque os testes usam."),
        says(Speaker, "eu, nós", "eu e os testes"),
        says(
            Decides,
            "decidi, escolhi, decidimos, escolhemos, decisão:",
            "Decidi usar uma tabela por cliente.",
        ),
        says(Doubt, "talvez, provavelmente, ^se, poderia", "talvez isso é o cache"),
        says(
            NotDone,
            "não iniciado, ainda não está, ainda falta, falta fazer, pendente:",
            "A exportação ainda não está pronta.",
        ),
        says(
            Done,
            "feito, pronto, adicionado, escrito, corrigido, removido, renomeado, funciona",
            "O parser está pronto e os testes também.",
        ),
        says(LeftOut, "fora do escopo, fora de escopo, não incluído", "Fora do escopo"),
        says(Wants, "^quero, ^espero que", "Quero cada teste documentado no projeto."),
        says(Each, "cada, todos, todas", "cada teste e todas as classes"),
        says(First, "^primeiro", "Primeiro os testes, depois o código."),
        says(Then, "^depois", "Primeiro os testes, depois o código."),
        says(Sets, "^use, ^usa, ^utilize, ^responda em, ^fale em", "Responda em português."),
        says(
            Tongue,
            "inglês, alemão, francês, espanhol, português, italiano, russo, chinês, japonês, coreano",
            "Responda em português.",
        ),
        says(
            Vents,
            "^sempre a mesma, ^sempre o mesmo, ^nunca vi, deveria ter, ^de novo não, ^não se preocupe",
            "Sempre a mesma coisa.",
        ),
    ],
};
