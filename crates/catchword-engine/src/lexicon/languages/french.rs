//! French.

use super::Sense::{
    AboutRules, Announces, Ban, Decides, Denied, Done, Doubt, Each, Filler, Finite, First, ForNow, Forbids,
    Function, Join, Lasting, LeftOut, Looks, Negation, Nod, NotDone, Objects, Once, Order, Permits, Question,
    Reason, Rule, Sets, Speaker, Subject, TakesBack, Then, Tongue, Unsettled, Vents, Wants,
};
use super::{Language, says};

pub const FRENCH: Language = Language {
    name: "French",
    spaced: true,
    entries: &[
        says(Announces, "^je vais, ^laissez-moi, ^laisse-moi, ^il me reste à", "Je vais écrire le parser."),
        says(
            Looks,
            "vérifier, regarder, lire, voir, chercher, examiner, comprendre",
            "Je vais regarder les logs.",
        ),
        says(
            Unsettled,
            "pas encore, toujours, cependant, manque, pour l'instant, la cause, c'est pourquoi",
            "L'export sort toujours en latin-1.",
        ),
        says(
            Function,
            "le, la, les, l'*, un, une, des, du, de, d'*, et, ou, mais, ne, n'*, pas, je, j'*, tu, il, elle, on, \
             nous, vous, ils, elles, ce, c'*, ça, cela, est, sont, était, a, ont, être, avec, sur, pour, par, \
             dans, en, au, aux, qui, que, qu'*, plus, très, aussi, si, s'*, merci, jamais, toujours, désormais, \
             dorénavant, évite, évitez, avant, après, parce, non, oui",
            "le parser et les tests",
        ),
        says(
            Filler,
            "ok, et, mais, aussi, alors, donc, oui, bon, merci, s'il, te, vous, plaît, maintenant",
            "ok, alors le test",
        ),
        says(Join, "et, mais", "lance et arrête le test"),
        says(
            Subject,
            "je, j'ai, tu, il, elle, on, nous, vous, ils, elles, le, la, les, un, une, des, ce, c'est, ça, cela, \
             mon, ma, mes, pourquoi, comment, que, qui, où, quand, est-ce, y, presque",
            "les tests ne passent pas",
        ),
        says(
            Question,
            "^pourquoi, ^comment, ^que, ^qui, ^où, ^quand, ^est-ce, ^peux-tu, ^pouvez-vous",
            "pourquoi ça ne marche pas",
        ),
        says(
            Rule,
            "^ne, ^n'*, ^jamais, ^évite, ^évitez, ^pas de, ^surtout pas, ^merci de ne, il ne faut pas, \
             il faut toujours, ^demande-moi, ^demandez-moi, ^demande d'abord, ^consulte-moi, ^consultez-moi, laisse * tranquille, laisse * * tranquille, laisse * * * tranquille, laissez * * tranquille, sans mon accord, sans mon feu vert",
            "Ne touche jamais au schéma.",
        ),
        says(
            Lasting,
            "toujours, jamais, désormais, dorénavant, à partir de maintenant, à l'avenir, à chaque fois, \
             avant chaque, après chaque",
            "Lance toujours les tests avant un commit.",
        ),
        says(
            Forbids,
            "jamais, pas, ne, n'*, évite, évitez, sans, seulement",
            "Pas de nouvelles dépendances.",
        ),
        says(Negation, "pas, ne, n'*, jamais, sans", "ne le fais pas"),
        says(
            Permits,
            "^tu peux, ^vous pouvez, !tu peux voir, c'est permis, est autorisé maintenant",
            "Tu peux pousser sur la branche.",
        ),
        says(
            TakesBack,
            "^oublie, ^oubliez, !n'oublie pas, ne s'applique plus, n'est plus valable",
            "Oublie la règle sur les tests.",
        ),
        says(
            Denied,
            "ne s'applique plus, ne s'appliquent plus, n'est plus valable, a retiré, retirée, annulé, annulée, abandonnée, obsolète, caduc, caduque, remplacée par",
            "Cette règle est obsolète.",
        ),
        says(Once, "cette fois, pour une fois, juste une fois", "seulement cette fois et pas plus"),
        says(
            ForNow,
            "pour l'instant, pour le moment, temporairement, provisoirement",
            "Je le désactive pour l'instant.",
        ),
        says(
            AboutRules,
            "règle, règles, consignes, conventions, important, instructions",
            "les règles du projet",
        ),
        says(
            Order,
            "^ajoute, ^ajoutez, ^change, ^modifie, ^écris, ^supprime, ^crée, ^corrige, ^lance, ^renomme, \
             ^remplace, ^déplace, ^teste, ^vérifie",
            "Ajoute les tests du parser.",
        ),
        says(
            Nod,
            "oui, non, ok, continue, merci, parfait, vas-y, d'accord, super, exactement, bien",
            "oui, vas-y, merci",
        ),
        says(Objects, "^non, ^pas, ^faux, ^toujours pas", "Non, ce n'est pas ça."),
        says(Reason, "parce que, car, afin de, la raison", "Sépare-le parce que les tests en ont besoin."),
        says(Speaker, "je, nous, j'ai, nous avons", "j'ai le parser et les tests"),
        says(
            Decides,
            "j'ai choisi, j'ai décidé, nous avons choisi, nous avons décidé, décision:",
            "J'ai choisi une table par client parce que c'est simple.",
        ),
        says(Doubt, "peut-être, probablement, ^si, pourrait", "c'est peut-être le cache"),
        says(
            NotDone,
            "pas encore commencé, pas encore fait, pas encore fini, reste à faire, reste à faire:, pas terminé",
            "L'export n'est pas encore fait.",
        ),
        says(
            Done,
            "fait, terminé, ajouté, écrit, corrigé, supprimé, renommé, fonctionne",
            "Le parser est terminé et les tests aussi.",
        ),
        says(LeftOut, "hors périmètre, hors scope, non inclus", "Hors périmètre"),
        says(Ban, "^aucun, ^aucune", "Aucune nouvelle dépendance dans le projet."),
        says(Finite, "est, sont, a, ont, ne, n'*", "aucun test ne passe"),
        says(Wants, "^je veux que, ^j'exige que, ^je souhaite que", "Je veux que chaque test soit court."),
        says(Each, "chaque, toutes, tous", "chaque test et toutes les classes"),
        says(First, "^d'abord, ^d'abord les, ^d'abord le", "D'abord les tests, ensuite le code."),
        says(Then, "^ensuite, ^puis, ^après", "D'abord les tests, ensuite le code."),
        says(Sets, "^utilise, ^utilisez, ^réponds en, ^répondez en, ^parle, ^parlez", "Réponds en français."),
        says(
            Tongue,
            "anglais, allemand, français, espagnol, portugais, italien, russe, chinois, japonais, coréen",
            "Réponds en français.",
        ),
        says(
            Vents,
            "^toujours la même, ^jamais vu, tu te moques, aurais dû, ^pas encore une fois, ^ne t'inquiète pas",
            "Toujours la même erreur !",
        ),
    ],
};
