//! German.

use super::Sense::{
    AboutRules, Announces, Decides, Denied, Done, Doubt, Each, Filler, First, ForNow, Forbids, Function,
    Join, Lasting, LeftOut, Looks, Negation, Nod, NotDone, Objects, Once, Order, Permits, Question, Reason,
    Rule, Sets, Speaker, Subject, TakesBack, Then, Tongue, Unsettled, Vents, Wants,
};
use super::{Language, says};

pub const GERMAN: Language = Language {
    name: "German",
    spaced: true,
    entries: &[
        says(
            Announces,
            "^ich werde, ^lass mich, ^als nächstes, ^ich muss noch",
            "Ich werde den Parser schreiben.",
        ),
        says(
            Looks,
            "prüfe, prüfen, ansehen, nachsehen, anschauen, lesen, suchen, untersuchen, überprüfen",
            "Lass mich prüfen, was im Log ist.",
        ),
        says(
            Unsettled,
            "noch nicht, weiterhin, allerdings, lediglich, bisher, vorerst, fehlt, fehlen, gar nicht, die ursache, deshalb, daher",
            "Der Export geht weiterhin als latin-1 hinaus.",
        ),
        says(
            Function,
            "der, die, das, den, dem, des, ein, eine, einen, einem, einer, und, oder, aber, nicht, kein, keine, \
             keinen, ich, du, er, sie, es, wir, ihr, ist, sind, war, hat, haben, wird, werden, mit, auf, für, \
             von, vom, zu, zum, zur, im, ab, aus, bei, noch, schon, nur, auch, wie, dass, wenn, bitte, nie, \
             niemals, immer, nein, ja, weil, damit, vermeide, künftig, in, mich, bevor, dafür, dazu, davon, darin",
            "der Parser und die Tests",
        ),
        says(
            Filler,
            "bitte, auch, und, aber, ok, okay, dann, also, ja, gut, jetzt, danke, nochmal",
            "ok, dann los",
        ),
        says(Join, "und, aber, bitte", "lauf und halte"),
        says(
            Subject,
            "ich, du, er, sie, es, wir, ihr, das, der, die, den, dem, ein, eine, mein, meine, dieser, diese, \
             dieses, warum, wieso, wie, was, wo, wer, wann, da, hier, man, alle, kann, ist, sind, hat, haben, \
             wird, tests, noch, fast",
            "die Tests laufen",
        ),
        says(
            Question,
            "^warum, ^wieso, ^wie, ^was, ^wo, ^wer, ^wann, ^welche*, ^kannst, ^ist, ^sind",
            "warum läuft es nicht",
        ),
        says(
            Rule,
            "^niemals, ^nie, ^immer, !immer noch, ^nicht, ^keine, ^keinen, ^kein, ^auf keinen fall, ^vermeide, \
             ^*e nicht, ^*e keine, ^*e keinen, ^*e kein, darfst nicht, nicht erlaubt, ^frag mich, ^frage mich, ^fragt mich, ^frag vorher, ^frag erst, ^finger weg, lass * in ruhe, lass * * in ruhe, lasst * in ruhe, ist tabu, sind tabu, ohne rücksprache, ohne mein ok, ohne meine zustimmung, ohne meine freigabe, bleibt wie es ist, bleibt wie er ist, bleibt wie sie ist, bleiben wie sie sind",
            "Pushe nicht auf main.",
        ),
        says(
            Lasting,
            "niemals, nie, immer, !immer noch, auf keinen fall, ab jetzt, ab sofort, von jetzt an, von nun an, \
             künftig, in zukunft, jedes mal, vor jedem, nach jeder, bevor du, bevor ihr",
            "Führe immer erst die Tests aus.",
        ),
        says(Forbids, "nicht, nie, niemals, kein, keine, keinen, vermeide, nur, ohne", "Bitte nicht pushen."),
        says(Negation, "nicht, nie, niemals, kein, keine, keinen, ohne", "nicht jetzt und nicht hier"),
        says(
            Permits,
            "^du darfst, ^du kannst, !du kannst sehen, ist jetzt erlaubt, ist wieder erlaubt",
            "Du darfst jetzt pushen, es ist gut.",
        ),
        says(
            TakesBack,
            "^vergiss, !vergiss nicht, gilt nicht mehr, hat sich erledigt",
            "Vergiss die Regel mit den Tests.",
        ),
        says(
            Denied,
            "gilt nicht mehr, gelten nicht mehr, nicht mehr gültig, zurückgenommen, zurückgezogen, widerrufen, aufgehoben, überholt, hinfällig, veraltet",
            "Die Regel gilt nicht mehr.",
        ),
        says(Once, "diesmal, dieses mal, nur heute, ausnahmsweise", "nur diesmal und nicht immer"),
        says(ForNow, "vorläufig, vorübergehend, erst einmal, fürs erste", "Ich schalte es vorübergehend ab."),
        says(
            AboutRules,
            "regel, regeln, vorgaben, konventionen, wichtig, anweisungen",
            "die Regeln für das Projekt",
        ),
        says(
            Order,
            "^füge, ^ändere, ^schreibe, ^schreib, ^lösche, ^entferne, ^erstelle, ^behebe, ^repariere, ^mach, \
             ^mache, ^führe, ^teste, ^prüfe, ^benenne, ^verschiebe, ^ersetze",
            "Schreibe die Tests für den Parser.",
        ),
        says(
            Nod,
            "ja, nein, gut, weiter, mach, bitte, danke, super, genau, passt, gerne, los",
            "ja bitte, mach weiter",
        ),
        says(Objects, "^nein, ^nicht, ^falsch, ^immer noch", "Nein, das ist nicht richtig."),
        says(Reason, "weil, damit, der grund", "Teile es, weil die Tests es brauchen."),
        says(Speaker, "ich, wir, ich habe, wir haben", "ich habe es und die Tests"),
        says(
            Decides,
            "habe mich entschieden, haben uns entschieden, habe mich für, entscheidung:",
            "Ich habe mich für eine Tabelle entschieden, weil es kurz ist.",
        ),
        says(
            Doubt,
            "vielleicht, möglicherweise, wahrscheinlich, könnte, ^wenn, ^falls, ob",
            "vielleicht ist es der Cache",
        ),
        says(
            NotDone,
            "noch nicht begonnen, noch nicht fertig, noch nicht implementiert, noch offen, bleibt zu tun, \
             offen:, noch zu tun:",
            "Der Export ist noch nicht fertig.",
        ),
        says(
            Done,
            "fertig, erledigt, hinzugefügt, geschrieben, behoben, entfernt, umbenannt, aktualisiert, \
             funktioniert",
            "Der Parser ist fertig und die Tests auch.",
        ),
        says(LeftOut, "nicht im umfang, nicht enthalten, nicht teil", "Nicht im Umfang"),
        says(Wants, "^ich will, ^ich möchte, ^ich erwarte", "Ich will, dass jede Funktion einen Test hat."),
        says(Each, "jede, jeder, jedes, jeden, alle", "jede Funktion und jede Klasse"),
        says(First, "^erst, ^zuerst, zuerst$", "Erst Tests, dann Code."),
        says(Then, "^dann, ^danach", "Erst Tests, dann Code."),
        says(
            Sets,
            "^nutze, ^nutz, ^benutze, ^benutz, ^verwende, ^nimm, ^antworte auf, ^antworte in, ^antworte, ^sprich",
            "Antworte auf Deutsch.",
        ),
        says(
            Tongue,
            "englisch, deutsch, französisch, spanisch, portugiesisch, italienisch, russisch, chinesisch, japanisch, koreanisch",
            "Antworte auf Deutsch.",
        ),
        says(
            Vents,
            "^immer dasselbe, ^immer das gleiche, ^nie hört, willst du mich, ^nicht schon wieder, hättest, ^keine sorge, ^nie gesehen",
            "Nicht schon wieder!",
        ),
    ],
};
