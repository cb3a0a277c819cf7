//! Spanish.

use super::Sense::{
    AboutRules, Announces, Decides, Denied, Done, Doubt, Each, Filler, First, ForNow, Forbids, Function,
    Join, Lasting, LeftOut, Looks, Negation, Nod, NotDone, Objects, Once, Order, Permits, Question, Reason,
    Rule, Sets, Speaker, Subject, TakesBack, Then, Tongue, Unsettled, Vents, Wants,
};
use super::{Language, says};

pub const SPANISH: Language = Language {
    name: "Spanish",
    spaced: true,
    entries: &[
        says(Announces, "^voy a, ^vamos a, ^déjame, ^a continuación", "Voy a escribir las pruebas."),
        says(
            Looks,
            "ver, mirar, leer, revisar, buscar, comprobar, verificar, examinar",
            "Voy a revisar los logs.",
        ),
        says(
            Unsettled,
            "todavía, aún, sigue, siguen, sin embargo, falta, por ahora, la causa, por eso",
            "La exportación sigue en latin-1.",
        ),
        says(
            Function,
            "el, la, los, las, un, una, unos, y, o, pero, no, yo, tú, él, ella, nosotros, ellos, es, son, está, \
             están, era, ha, han, ser, con, en, para, por, de, del, al, a, que, qué, como, más, muy, también, \
             si, se, su, lo, le, este, esta, eso, esto, antes, cada, nunca, jamás, siempre, evita, evite, \
             ahora, adelante, porque, sí, favor",
            "el parser y los tests",
        ),
        says(
            Filler,
            "ok, y, pero, también, entonces, sí, bueno, por, favor, ahora, gracias",
            "ok, entonces los tests",
        ),
        says(Join, "y, pero", "ejecuta y para el test"),
        says(
            Subject,
            "yo, tú, él, ella, nosotros, ellos, el, la, los, las, un, una, esto, eso, este, esta, mi, cómo, qué, \
             quién, dónde, cuándo, hay, es, está, casi, se",
            "los tests fallan",
        ),
        says(Question, "^cómo, ^qué, ^quién, ^dónde, ^cuándo, ^por qué, ^puedes", "qué pasa con los tests"),
        says(
            Rule,
            "^nunca, ^jamás, ^siempre, ^evita, ^evite, ^no *es, ^no *as, ^no *ar, ^no *er, ^no *ir, ^pregúntame, ^pregunta antes, ^consúltame, ^consulta conmigo, ^nada de, déjalo en paz, déjala en paz, déjalos en paz, déjalas en paz, deja * * en paz, deja * * como está, deja * * * como está, sin mi permiso, sin mi aprobación",
            "No toques los archivos generados.",
        ),
        says(
            Lasting,
            "nunca, siempre, a partir de ahora, de ahora en adelante, en adelante, cada vez que, antes de cada",
            "Usa siempre pnpm en este proyecto.",
        ),
        says(Forbids, "nunca, jamás, no, evita, evite, sin, solo", "Evita los mocks en los tests."),
        says(Negation, "no, nunca, jamás, sin", "no los cambies"),
        says(Permits, "^puedes, !puedes ver, ya está permitido, ^ya puedes", "Ya puedes subir los cambios."),
        says(TakesBack, "^olvida, ^olvídate, ya no aplica, ya no vale", "Olvida la regla de los tests."),
        says(
            Denied,
            "ya no aplica, ya no se aplica, ya no vale, ya no es válida, retirada, anulada, revocada, obsoleta, obsoleto, reemplazada por",
            "La regla ya no aplica.",
        ),
        says(Once, "esta vez, solo hoy, por esta vez", "solo esta vez y no más"),
        says(ForNow, "temporalmente, por ahora, de momento", "Lo desactivo por ahora."),
        says(
            AboutRules,
            "regla, reglas, convenciones, importante, instrucciones",
            "las reglas de este proyecto",
        ),
        says(
            Order,
            "^añade, ^agrega, ^cambia, ^escribe, ^borra, ^elimina, ^crea, ^arregla, ^corrige, ^ejecuta, \
             ^renombra, ^mueve, ^usa",
            "Añade los tests de la clase.",
        ),
        says(
            Nod,
            "sí, si, no, ok, continúa, sigue, gracias, perfecto, vale, adelante, bien, dale",
            "sí, adelante, gracias",
        ),
        says(Objects, "^no, ^mal, ^todavía no, ^sigue sin", "No, eso no es lo que pedí."),
        says(Reason, "porque, para que, ya que, la razón", "Sepáralo porque los tests lo usan."),
        says(Speaker, "yo, nosotros, he, hemos", "yo y los tests"),
        says(
            Decides,
            "he decidido, decidí, elegí, he elegido, hemos decidido, decisión:",
            "He decidido usar una tabla por cliente.",
        ),
        says(Doubt, "quizás, tal vez, probablemente, ^si, podría", "quizás es el cache"),
        says(
            NotDone,
            "no empezado, aún no está, todavía no está, falta por hacer, pendiente:, queda por hacer",
            "La exportación todavía no está lista.",
        ),
        says(
            Done,
            "hecho, listo, añadido, escrito, corregido, eliminado, renombrado, funciona",
            "El parser está listo y los tests también.",
        ),
        says(LeftOut, "fuera de alcance, fuera del alcance, no incluido", "Fuera de alcance"),
        says(Wants, "^quiero que, ^espero que", "Quiero que cada test sea corto."),
        says(Each, "cada, todos, todas", "cada test y todas las clases"),
        says(First, "^primero", "Primero las pruebas, luego el código."),
        says(Then, "^luego, ^después", "Primero las pruebas, luego el código."),
        says(Sets, "^usa, ^use, ^utiliza, ^responde en, ^contesta en, ^habla en", "Responde en español."),
        says(
            Tongue,
            "inglés, alemán, francés, español, portugués, italiano, ruso, chino, japonés, coreano",
            "Responde en español.",
        ),
        says(
            Vents,
            "^siempre lo mismo, ^siempre el mismo, ^nunca he visto, deberías haber, ^otra vez no, ^no te preocupes",
            "Siempre lo mismo.",
        ),
    ],
};
