//! What summaries say: the words of a model that retells a session.
//!
//! Words are separated by spaces; `_` stands for a space inside one, a trailing `*` for any ending. A language is one
//! [`SummaryWords`]; what only English needs is below. Every entry has an example, which is its test: it contains one of
//! the words.

/// What a part of a summary is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heading {
    /// What is not done.
    Pending,
    /// What is done.
    Done,
    /// What was being done at the end.
    Current,
    /// What the user said.
    UserMessages,
    /// The model's chronological analysis before the summary.
    Story,
    /// Anything else.
    Other,
}

/// Words, and a text that has one of them.
pub struct Cues {
    pub words: &'static str,
    pub example: &'static str,
}

const fn cues(words: &'static str, example: &'static str) -> Cues {
    Cues { words, example }
}

const NO_WORDS: Cues = cues("", "");

/// The words of one language.
pub struct SummaryWords {
    /// Something is done.
    pub done: Cues,
    /// Something is begun, missing or put off.
    pub open: Cues,
    /// What has not happened, or would.
    pub wishes: Cues,
    /// Openings of a condition.
    pub conditions: Cues,
    /// Openings of a time, which is a condition for what follows and says nothing of what stands before.
    pub times: Cues,
    pub negations: Cues,
    /// A negation and a word for nothing deny once: "não resta nada".
    pub doubles_negation: bool,
    /// Nothing.
    pub none: Cues,
    /// What is left.
    pub left: Cues,
    /// Everything.
    pub all: Cues,
    /// Work.
    pub work: Cues,
    /// All of the work, in one word or phrase.
    pub all_work: Cues,
    /// Everything but what is meant: a claim about the rest says nothing of it.
    pub rest: Cues,
    /// Turns of a sentence.
    pub but: Cues,
    /// Openings of an exception.
    pub except: Cues,
    /// The user.
    pub user: Cues,
    /// What people do with words: "the user asked".
    pub said: Cues,
    /// What people say or write: "the user's request".
    pub messages: Cues,
    /// Only a suggestion.
    pub suggests: Cues,
    /// No choice.
    pub demands: Cues,
    /// The tests.
    pub tests: Cues,
    /// The build.
    pub build: Cues,
    /// A check passes.
    pub passes: Cues,
    /// A check fails.
    pub fails: Cues,
    /// Turns a word for failure around.
    pub mended: Cues,
    /// Something is wrong.
    pub trouble: Cues,
    /// Why a failure does not matter.
    pub excuses: Cues,
    /// Parts of headings, see [`Heading`].
    pub messages_title: Cues,
    pub pending_title: Cues,
    pub done_title: Cues,
    pub current_title: Cues,
}

const NOTHING: SummaryWords = SummaryWords {
    done: NO_WORDS,
    open: NO_WORDS,
    wishes: NO_WORDS,
    conditions: NO_WORDS,
    times: NO_WORDS,
    negations: NO_WORDS,
    doubles_negation: false,
    none: NO_WORDS,
    left: NO_WORDS,
    all: NO_WORDS,
    work: NO_WORDS,
    all_work: NO_WORDS,
    rest: NO_WORDS,
    but: NO_WORDS,
    except: NO_WORDS,
    user: NO_WORDS,
    said: NO_WORDS,
    messages: NO_WORDS,
    suggests: NO_WORDS,
    demands: NO_WORDS,
    tests: NO_WORDS,
    build: NO_WORDS,
    passes: NO_WORDS,
    fails: NO_WORDS,
    mended: NO_WORDS,
    trouble: NO_WORDS,
    excuses: NO_WORDS,
    messages_title: NO_WORDS,
    pending_title: NO_WORDS,
    done_title: NO_WORDS,
    current_title: NO_WORDS,
};

/// All languages, English first.
pub static LANGUAGES: [SummaryWords; 10] =
    [ENGLISH, PORTUGUESE, SPANISH, GERMAN, FRENCH, ITALIAN, CHINESE, JAPANESE, KOREAN, RUSSIAN];

const ENGLISH: SummaryWords = SummaryWords {
    done: cues(
        "completed done finished implemented accomplished delivered shipped landed resolved fixed merged \
         closed achieved in_place wrapped_up sorted_out checked_off ticked_off carried_out dealt_with \
         taken_care finalized finalised concluded solved executed performed fulfilled settled handled \
         addressed tackled cleared deployed released published seen_through pulled_off put_through \
         pushed_through followed_through worked_through worked_off carried_through brought_home \
         up_and_running rolled_out went_live gone_live is_live are_live has_gone_in have_gone_in made_it_in \
         all_sorted ironed_out nailed_down knocked_out buttoned_up squared_away tied_up tied_off rounded_off \
         rounded_out polished_off hammered_out struck_off struck_through crossed_off crossed_out \
         scratched_off marked_off signed_off closed_out closed_off cleared_away cleared_up put_to_bed \
         put_to_rest laid_to_rest reached_completion brought_to came_to_an_end come_to_an_end \
         drawn_to_a_close drew_to_a_close got_done over_with over_and_done behind_us behind_me \
         out_of_the_way off_the_list off_the_to off_our_list off_my_list off_my_plate off_our_plate \
         off_the_table in_the_bag in_the_can in_the_books a_wrap job_done fully_functional fully_operational \
         fully_working good_to_go all_set is_ready are_ready accounted_for ticked_the_box came_together",
        "the docs have been wrapped up",
    ),
    open: cues(
        "pending in_progress todo to_do to_be_done to_be_completed to_be_finished to_be_written \
         to_be_implemented yet_to_be has_to_be have_to_be needs_to_be remaining remains remain outstanding \
         still partially partly almost nearly mostly half halfway started ongoing underway under_way being \
         currently wip incomplete partial unfinished blocked waiting awaiting yet next later continue \
         continuing begin began working deferred postponed skipped failed fails failing ready_to_start \
         ready_to_begin ready_to_implement ready_for_implementation to_be_started started_on untouched \
         abandoned cancelled canceled dropped",
        "the docs (in progress)",
    ),
    wishes: cues(
        "will would should shall must can could may might need needs needed verify ensure confirm asked \
         wants wanted requested going_to plan plans planned planning intend* aim aims aiming goal hope \
         hopes hoping supposed scheduled trying",
        "the plan is to have the docs done",
    ),
    conditions: cues("once when if until unless whether provided assuming", "once the docs are done"),
    times: cues("before after", "done before the tests ran"),
    negations: cues(
        "not never cannot isn't aren't wasn't weren't hasn't haven't doesn't don't dont didn't can't \
         won't",
        "the docs aren't done",
    ),
    none: cues("none nothing no zero 0 n_a nil without", "there is nothing to do"),
    left: cues(
        "pending remaining remains remain outstanding left todo to_do open unfinished incomplete loose_ends \
         further_work more_work further_action further_actions further_steps further_effort \
         further_attention more_steps more_effort more_action to_be_done to_be_finished to_be_completed \
         needs_doing on_the_list owed",
        "no loose ends",
    ),
    all: cues("all everything every each entire whole fully", "the whole list"),
    work: cues(
        "tasks task todos items steps work everything goals objectives assignments deliverables chores",
        "all tasks",
    ),
    all_work: cues(
        "everything every_single_one whole_list entire_list full_list all_of_it whole_thing entire_thing \
         the_lot whole_job whole_project complete_list",
        "the entire list is done",
    ),
    rest: cues("else other others rest remainder", "everything else is done"),
    but: cues("but however although though while", "done, but untested"),
    except: cues("except apart_from other_than besides aside_from save_for barring", "apart from the docs"),
    user: cues("user user's", "the user's wish"),
    said: cues(
        "wants wanted want noted notes clarified clarifies asked asks requested requests said says \
         prefers preferred insisted insists confirmed confirms decided decides chose chooses specified \
         specifies instructed pointed mentioned mentions emphasized emphasised explained expects expected \
         needs demanded demands required requires stated states told reported suggested stressed reminded \
         agreed agrees approved accepted made_clear set proposed ordered wished wishes wrote replied \
         added called ruled declared announced opted settled",
        "the user requires tests",
    ),
    messages: cues(
        "request* message* instruction* prompt* ask question* feedback preference* decision* requirement* \
         words wish wishes idea rule rules order orders demand* explicit",
        "the user's exact words",
    ),
    suggests: cues("maybe perhaps possibly", "maybe use nom"),
    demands: cues("always never must mandatory required requires only", "always use nom"),
    tests: cues("tests test test_suite suite specs", "the test suite is green"),
    build: cues("build builds compilation compiles", "the build is clean"),
    passes: cues(
        "pass passes passing passed green clean cleanly succeed succeeds succeeded succeeding successful \
         successfully",
        "the tests are green",
    ),
    fails: cues("fail fails failing failed broken red", "the tests are red"),
    mended: cues("fix fixes fixed fixing mended repaired resolved solved gone", "fixed the broken build"),
    trouble: cues(
        "error errors failure failures crash* broke* issue issues bug bugs problem problems exception* \
         warnings",
        "it stops with an error",
    ),
    excuses: cues(
        "pre preexisting existing flaky unrelated known expected environment except skipped ignored",
        "one flaky test",
    ),
    messages_title: cues(
        "user_message messages_from_the_user user's_messages user_request_history",
        "All user messages",
    ),
    pending_title: cues(
        "pending remaining todo to_do to-do open_task open_item outstanding not_yet still_need",
        "Pending Tasks",
    ),
    done_title: cues("completed done finished accomplished", "Completed work"),
    current_title: cues("current_work current_state current_status next_step status", "Current Work"),
    ..NOTHING
};

const PORTUGUESE: SummaryWords = SummaryWords {
    done: cues(
        "feito feita feitos feitas pronto pronta prontos prontas implementad* finalizad* terminad* \
         completad* resolvid* concluid* concluíd* entregue* encerrad* acabad* realizad* executad* cumprid* \
         efetuad* efectuad* fechad* corrigid* consertad* arrumad* integrad* publicad* lançad* mesclad* \
         despachad* alcançad* atingid* quitad* sanad* solucionad* concretizad* liquidad* concluí concluiu \
         concluímos concluíram terminei terminou terminamos terminaram finalizei finalizou finalizamos \
         acabei acabou acabamos fiz fez fizemos fizeram entreguei entregou resolvi resolveu implementei \
         implementou implementamos está_completo está_completa estão_completos estão_completas \
         ficou_completo ficou_completa levado_a_cabo levada_a_cabo levados_a_cabo levadas_a_cabo \
         chegou_ao_fim chegaram_ao_fim tudo_certo dado_por dada_por",
        "a documentação foi concluída",
    ),
    open: cues(
        "metade falta faltam ainda parcialmente andamento sendo quase pendente* restante* atualmente resta \
         restam por_fazer incomplet* inacabad* começ* iniciad* bloquead* adiad* aguard* aberto aberta \
         abertos abertas em_aberto próximo próxima",
        "a documentação em andamento",
    ),
    wishes: cues(
        "será serão deve devem vai vão plano pretend* precisa precisam pode podem poderá deveria deverá \
         precisará quer_se planej* planead* tem_de tem_que têm_de têm_que há_que",
        "a documentação será feita",
    ),
    conditions: cues(
        "quando se_a se_o caso assim_que até se_for se_forem se_tudo logo_que depois_que enquanto desde_que \
         a_menos_que",
        "quando estiver feita",
    ),
    negations: cues("não nao nem", "não está feita"),
    doubles_negation: true,
    none: cues(
        "nenhum* nada sem zero não_há não_resta não_restam não_falta não_faltam não_sobra não_sobrou \
         não_existem não_ficou",
        "nenhuma tarefa",
    ),
    left: cues(
        "pendente* falta faltam restante* aberto* aberta* resta restam sobra sobrou em_aberto por_fazer \
         a_fazer que_fazer pendênci*",
        "tarefas pendentes",
    ),
    all: cues("todos todas tudo toda", "todas as tarefas"),
    work: cues(
        "tarefa* tudo trabalho trabalhos itens item passos etapas atividades afazeres pendências",
        "todas as tarefas",
    ),
    all_work: cues("tudo", "tudo feito"),
    rest: cues("resto demais outros outras", "o resto está feito"),
    but: cues("mas porém", "feito, mas sem testes"),
    except: cues("exceto menos salvo", "exceto a documentação"),
    user: cues("usuário usuario utilizador", "o usuário pediu"),
    said: cues(
        "quer pediu disse decidiu prefere exige exigiu solicitou confirmou afirmou explicou insistiu \
         aceitou aprovou concordou escreveu deseja precisa espera mencionou",
        "o usuário pediu",
    ),
    messages: cues("pedido* mensage* instru* palavras desejo*", "o pedido do usuário"),
    suggests: cues("talvez", "talvez usar nom"),
    demands: cues("sempre nunca deve", "sempre usar nom"),
    tests: cues("testes teste", "os testes passam"),
    passes: cues("passam passa passaram passou passando verdes verde sucesso", "os testes passam"),
    fails: cues("falham falhando falha falhou", "os testes falham"),
    mended: cues("corrigid* resolvid* consertad*", "a falha foi corrigida"),
    trouble: cues("erro* falh*", "há um erro"),
    excuses: cues("exceto conhecid*", "uma falha conhecida"),
    messages_title: cues("mensagens_do_usu", "mensagens do usuário"),
    pending_title: cues("pendente restante", "tarefas pendentes"),
    done_title: cues("concluíd", "trabalho concluído"),
    current_title: cues("trabalho_atual estado próximo", "trabalho atual"),
    times: cues("antes depois após", "feita antes dos testes"),
    ..NOTHING
};

const SPANISH: SummaryWords = SummaryWords {
    done: cues(
        "hecho hecha hechos hechas listo listos terminad* completad* finalizad* implementad* resuelt* \
         acabad* concluid* está_lista están_listas quedó_lista concluíd* solucionad* arreglad* corregid* \
         entregad* realizad* ejecutad* cumplid* cerrad* culminad* logrado lograda logrados logradas \
         efectuad* zanjad* rematad* ultimad* fusionad* desplegad* publicad* integrad* despachad* saldad* \
         alcanzad* liquidad* consumad* terminé terminó terminamos terminaron completé completó completamos \
         completaron finalicé finalizó finalizamos concluyó concluyeron concluí acabé acabó acabaron hice \
         hizo hicimos hicieron resolví resolvió resolvimos implementé implementó implementamos entregó \
         llevado_a_cabo llevada_a_cabo llevados_a_cabo llevadas_a_cabo llevó_a_cabo puesto_a_punto \
         puesta_a_punto está_completo está_completa están_completos están_completas quedó_completo \
         quedó_completa",
        "la documentación está hecha",
    ),
    open: cues(
        "a_medias mitad falta faltan pendiente* todavía aún en_curso casi parcialmente actualmente siendo \
         queda_por por_hacer incomplet* inacabad* empez* comenz* iniciad* bloquead* aplazad* pospuest* \
         esperando resta restan próximo próxima en_marcha abierto abierta abiertos abiertas",
        "todavía en curso",
    ),
    wishes: cues(
        "será serán debe deben va_a van_a plan pretende* hay_que puede pueden podría debería deberán deberá \
         necesita_ser tiene_que tienen_que planea* planead* vaya",
        "la documentación será completada",
    ),
    conditions: cues(
        "cuando una_vez en_cuanto hasta_que si_se si_está si_el si_la si_todo tan_pronto mientras \
         después_de_que siempre_que a_menos_que",
        "cuando esté hecha",
    ),
    times: cues("después_de antes_de", "hecha antes de las pruebas"),
    negations: cues(
        "no_está no_están no_se no_ha no_han no_fue no_fueron no_es no_son nunca tampoco",
        "no está hecha",
    ),
    none: cues(
        "nada ningun* ningún sin cero no_hay no_quedan_tareas no_queda_trabajo no_quedan_pendientes \
         no_falta_nada",
        "ninguna tarea",
    ),
    left: cues(
        "pendiente* falta faltan queda quedan abiert* resta restan sobra por_hacer que_hacer",
        "tareas pendientes",
    ),
    all: cues("todo todos todas toda", "todas las tareas"),
    work: cues(
        "tareas tarea trabajo trabajos puntos_pendientes pasos elementos objetivos pendientes",
        "todas las tareas",
    ),
    rest: cues("resto demás otros otras", "el resto está hecho"),
    but: cues("pero", "hecha, pero sin pruebas"),
    except: cues("excepto salvo menos", "excepto la documentación"),
    user: cues("usuario usuaria", "el usuario pidió"),
    said: cues(
        "quiere pidió dijo decidió prefiere exige exigió solicitó confirmó afirmó explicó insistió aceptó \
         aprobó acordó escribió desea necesita espera mencionó requiere insiste pide",
        "el usuario pidió",
    ),
    messages: cues(
        "petición* pedido* solicitud* mensaje* instrucci* palabras deseo*",
        "la petición del usuario",
    ),
    suggests: cues("quizá tal_vez", "tal vez usar nom"),
    demands: cues("siempre nunca debe", "siempre usar nom"),
    tests: cues("pruebas prueba", "las pruebas pasan"),
    passes: cues(
        "pasan pasa pasaron pasó pasado pasando superad* verdes verde éxito exitos* correctamente",
        "las pruebas pasan",
    ),
    fails: cues("fallan falla falló fallaron fallando", "las pruebas fallan"),
    mended: cues("corregid* resuelt* arreglad* solucionad*", "el fallo quedó resuelto"),
    trouble: cues("error errores fallo fallos", "sin errores"),
    excuses: cues("excepto conocid*", "todas excepto una"),
    messages_title: cues("mensajes_del_usu", "mensajes del usuario"),
    pending_title: cues("pendiente", "tareas pendientes"),
    done_title: cues("completad", "trabajo completado"),
    current_title: cues("trabajo_actual", "trabajo actual"),
    all_work: cues("todo_está todo_quedó todo_ha_sido está_todo", "todo está hecho"),
    ..NOTHING
};

const GERMAN: SummaryWords = SummaryWords {
    done: cues(
        "erledigt* abgeschlossen* fertig* umgesetzt* beendet* vollendet* abgehakt* behoben* gelöst* \
         implementiert* durchgeführt* ausgeführt* realisiert* verwirklicht* vollzogen* vollbracht* \
         bewerkstelligt* geschafft* gemacht getan verrichtet* bereinigt* repariert* korrigiert* geschlossen* \
         eingebaut* eingerichtet* ausgeliefert* geliefert* übergeben abgeliefert* abgegeben zusammengeführt* \
         gemergt* gemerged* veröffentlicht* ausgerollt* deployt* integriert* eingespielt* abgearbeitet* \
         abgewickelt* abgeschafft abgehandelt* bewältigt* geklärt* erreicht* erfüllt* ausgebügelt* \
         beigelegt* durchgezogen* gestemmt durchgebracht hingekriegt hinbekommen unter_dach vom_tisch \
         in_trockenen in_trockene über_die_bühne zu_ende zum_abschluss_gebracht zum_abschluss_gekommen \
         ist_komplett sind_komplett ist_vollständig sind_vollständig steht_bereit in_betrieb im_kasten \
         schloss_ab brachte_zu",
        "die Doku ist abgeschlossen",
    ),
    open: cues(
        "halb zur_hälfte noch_nicht noch_nie noch_offen noch_aus noch_in noch_zu noch_kein* offen* \
         ausstehend* aussteht teilweise fast muss müssen gerade derzeit momentan fehlt fehlen bleibt \
         begonnen* unvollständig* unfertig* unerledigt* angefangen* verschoben* vertagt* blockiert* wartet \
         warten teils in_arbeit in_bearbeitung läuft_noch nächste* später ausgesetzt* zurückgestellt* \
         steht_aus stehen_aus",
        "die Doku ist noch offen",
    ),
    wishes: cues(
        "wird werden soll sollen sollte sollten will wollen plan geplant* vorgesehen* würde könnte kann \
         können möchte möchten beabsichtigt* zu_erledigen zu_beenden anstehend*",
        "die Doku wird gerade erledigt",
    ),
    conditions: cues("sobald wenn falls nachdem bevor ob solange sofern", "sobald die Doku fertig ist"),
    negations: cues("nicht nie niemals", "nicht fertig"),
    none: cues("keine* kein nichts ohne null", "keine Aufgaben"),
    left: cues(
        "offen* übrig ausstehend* tun mehr zu_erledigen zu_machen unerledigt* steht_aus",
        "nichts zu tun",
    ),
    all: cues("alle alles sämtliche allen aller jede jeder jedes", "alle Aufgaben"),
    work: cues(
        "aufgaben aufgabe arbeiten alles punkte schritte arbeit todos liste vorhaben",
        "alle Aufgaben",
    ),
    all_work: cues(
        "alles sämtliches die_ganze_liste die_gesamte_liste die_komplette_liste",
        "alles erledigt",
    ),
    rest: cues("rest übrige* andere* sonst", "alles andere ist fertig"),
    but: cues("aber jedoch doch", "fertig, aber ohne Tests"),
    except: cues("außer ausgenommen abgesehen", "außer der Doku"),
    user: cues("nutzer* benutzer* anwender*", "der Nutzer will"),
    said: cues(
        "wollte möchte wünscht verlangt verlangte fordert forderte bat bittet sagte sagt schrieb \
         entschied bestätigte erklärte betonte bestand zugestimmt stimmte akzeptierte genehmigte erwartet \
         braucht bevorzugt verlangen gesagt gebeten gewünscht gefordert entschieden bestätigt",
        "der Nutzer möchte",
    ),
    messages: cues(
        "wunsch* nachricht* anweisung* vorgabe* bitte worte* auftrag* frage*",
        "auf Wunsch des Nutzers",
    ),
    suggests: cues("vielleicht eventuell", "vielleicht nom nehmen"),
    demands: cues("immer niemals muss", "immer nom nehmen"),
    passes: cues("passieren bestanden grün durch fehlerfrei erfolgreich", "die Tests sind grün"),
    fails: cues(
        "fehlschlagen fehlgeschlagen* schlägt schlagen scheitern scheitert",
        "die Tests fehlschlagen",
    ),
    mended: cues("behoben* gelöst* repariert* korrigiert*", "der Fehler ist behoben"),
    trouble: cues("fehler* bricht fehlschl*", "ein Fehler"),
    excuses: cues("außer bekannt*", "ein bekannter Fehler"),
    messages_title: cues("nachrichten", "Nachrichten"),
    pending_title: cues("offene ausstehend", "Offene Aufgaben"),
    done_title: cues("erledigt abgeschlossen", "Erledigt"),
    current_title: cues("aktuelle nächste", "Aktuelle Arbeit"),
    ..NOTHING
};

const FRENCH: SummaryWords = SummaryWords {
    done: cues(
        "terminé* achevé* fini finie finis finies complété* réalisé* résolu* corrigé* implémenté* livré* \
         prêt* accompli* effectué* exécuté* bouclé* conclu conclue conclus conclues est_clos est_close \
         sont_clos sont_closes clôturé* réglé* finalisé* fusionné* déployé* publié* intégré* soldé* abouti* \
         rempli* expédié* concrétisé* parachevé* est_fait est_faite sont_faits sont_faites été_fait \
         été_faite été_faits été_faites c'est_fait a_fini ont_fini mené_à_bien menée_à_bien menés_à_bien \
         menées_à_bien mené_à_terme menée_à_terme mis_au_point mise_au_point est_en_place sont_en_place \
         mis_en_place mise_en_place mis_en_œuvre mise_en_œuvre mis_en_oeuvre mise_en_oeuvre mis_en_service \
         est_complet est_complète sont_complets sont_complètes au_complet dans_la_boîte terminai termina \
         achevai acheva",
        "la documentation est terminée",
    ),
    open: cues(
        "à_moitié reste_à il_reste restent encore presque en_cours actuellement en_train partiellement \
         à_faire à_terminer incomplet* inachevé* commencé* entamé* débuté* bloqué* reporté* repoussé* \
         attente en_suspens reste_encore prochaine prochain ouvert ouverte ouverts ouvertes",
        "il reste la documentation",
    ),
    wishes: cues(
        "sera seront doit doivent va vont prévu* prévoit* plan faut devrait peut peuvent pourra pourrait \
         devra devront sera_t faudra prévoir prévue prévues prévus aimerait",
        "la documentation sera terminée",
    ),
    conditions: cues(
        "quand lorsque dès_que une_fois si_la si_le jusqu'à si_tout si_les si_elle si_il s'il tant_que \
         à_condition dès_lors",
        "une fois terminée",
    ),
    times: cues("après avant", "terminée avant les tests"),
    negations: cues("pas jamais", "pas terminé"),
    doubles_negation: true,
    none: cues(
        "aucun* rien sans zéro plus_rien n'y_a_plus n'y_a_pas reste_plus_de reste_plus_aucun* ne_manque",
        "rien à faire",
    ),
    left: cues("reste attente ouvert* restent suspens manque manquent à_faire", "rien à faire"),
    all: cues("tous toutes tout toute", "toutes les tâches"),
    work: cues(
        "tâches tâche taches tout travail travaux éléments étapes objectifs boulot chantier chantiers",
        "toutes les tâches",
    ),
    all_work: cues("tout", "tout est terminé"),
    rest: cues("le_reste autres autre", "tout le reste est fini"),
    but: cues("mais", "terminé, mais sans tests"),
    except: cues("sauf hormis excepté", "sauf la documentation"),
    user: cues("utilisateur utilisatrice l'utilisateur l'utilisatrice", "l'utilisateur veut"),
    said: cues(
        "veut voulait demande demandé* dit décidé préfère exige exigé confirmé expliqué insisté insiste \
         accepté approuvé accord écrit souhaite souhaité besoin précisé indiqué répété",
        "l'utilisateur a demandé",
    ),
    messages: cues("demande* message* consigne* instruction* mots souhait*", "à la demande de l'utilisateur"),
    suggests: cues("peut_être", "peut-être nom"),
    demands: cues("toujours jamais", "toujours nom"),
    passes: cues(
        "passent passe passé réussi* réussissent vert verts verte vertes succès",
        "les tests passent",
    ),
    fails: cues("échouent échoue échoué", "les tests échouent"),
    mended: cues("corrigé* résolu* réparé*", "l'échec est corrigé"),
    trouble: cues("échou* échec* erreur*", "le script échoue"),
    excuses: cues("sauf connu*", "tous sauf un"),
    messages_title: cues("messages_de_l", "messages de l'utilisateur"),
    pending_title: cues("en_attente à_faire", "tâches en attente"),
    done_title: cues("terminé", "travail terminé"),
    current_title: cues("travail_en_cours prochaine", "travail en cours"),
    ..NOTHING
};

const ITALIAN: SummaryWords = SummaryWords {
    done: cues(
        "completato completata completati completate finito finita fatto fatta terminat* risolt* conclus* \
         finiti finite fatti fatte completat* ultimat* eseguit* realizzat* implementat* consegnat* chius* \
         sistemat* aggiustat* pronto pronta pronti pronte compiut* svolt* effettuat* rilasciat* pubblicat* \
         integrat* evaso evasa sbrigat* concretizzat* raggiunt* espletat* portato_a_termine \
         portata_a_termine portati_a_termine portate_a_termine andato_in_porto andata_in_porto \
         andato_a_buon_fine andata_a_buon_fine messo_a_punto messa_a_punto a_posto ho_finito abbiamo_finito \
         terminò completò concluso è_completo è_completa sono_completi sono_complete",
        "la documentazione è completata",
    ),
    open: cues(
        "metà ancora manca mancano quasi parzialmente attualmente pendent* da_fare da_completare da_finire \
         in_corso in_attesa incomplet* resta restano rimane rimangono parzialment* parziale iniziat* \
         cominciat* rimandat* rinviat* bloccat* sospes* in_sospeso prossim* aperto aperta aperti aperte \
         a_metà",
        "manca la documentazione",
    ),
    wishes: cues(
        "sarà saranno deve devono verrà verranno va_fatto vanno bisogna occorre piano dovrebbe dovrà può \
         possono potrebbe previst* intende",
        "la documentazione sarà fatta",
    ),
    negations: cues(
        "non_è non_sono non_ancora non_ha non_hanno non_era non_viene non_risulta mai",
        "non è completata",
    ),
    none: cues("nessun* niente nulla senza non_c'è non_ci_sono zero", "nessun compito"),
    all: cues("tutto tutti tutte tutta", "tutto fatto"),
    rest: cues("resto altri altre", "il resto è fatto"),
    but: cues("ma però", "fatta, ma senza test"),
    except: cues("tranne eccetto", "tranne la documentazione"),
    user: cues("utente l'utente", "l'utente vuole"),
    said: cues(
        "vuole ha_chiesto chiede deciso preferisce richiede confermato insiste accettato scritto desidera",
        "l'utente vuole",
    ),
    messages: cues("richiest* messaggi* parole", "la richiesta dell'utente"),
    passes: cues("passano passa superat* verdi verde", "i test passano"),
    trouble: cues("errore errori", "senza errori"),
    conditions: cues(
        "quando una_volta non_appena appena finché purché se_il se_la se_è se_tutto",
        "quando è finita",
    ),
    times: cues("prima dopo", "finita prima dei test"),
    left: cues(
        "resta restano rimane rimangono da_fare pendent* aperto aperti aperta aperte manca mancano sospeso",
        "niente da fare",
    ),
    work: cues("attività compiti compito lavoro lavori tutto punti passi", "tutti i compiti"),
    all_work: cues("tutto", "tutto fatto"),
    tests: cues("test", "i test passano"),
    fails: cues("fallisce falliscono fallit*", "i test falliscono"),
    mended: cues("risolt* corrett* sistemat*", "errore risolto"),
    suggests: cues("forse magari", "forse usare nom"),
    demands: cues("sempre mai deve", "usare sempre nom"),
    messages_title: cues("messaggi_dell", "messaggi dell'utente"),
    pending_title: cues("in_sospeso da_fare in_attesa", "attività in sospeso"),
    done_title: cues("completat", "lavoro completato"),
    current_title: cues("lavoro_attuale lavoro_corrente prossimo", "lavoro attuale"),
    doubles_negation: true,
    ..NOTHING
};

const CHINESE: SummaryWords = SummaryWords {
    done: cues(
        "完成 做完 修复 解决 搞定 结束 完毕 完工 完结 做好 写完 写好 弄好 弄完 办好 办完 改好 改完 处理好 处理完 落实 达成 竣工 就绪 到位 告一段落 大功告成 收工 了结 已实现 \
         已经实现 已合并 已经合并 已交付 已经交付 已上线 已经上线 已关闭 已处理 已经处理 已做 已办 已实施 已执行 解決 修復 結束 完畢 就緒 處理完 處理好 已實現 已處理",
        "文档已完成",
    ),
    open: cues(
        "一半 待 还没 尚 部分完成 正在 进行中 仍 还在 还需 还要 还剩 未开始 暂停 推迟 搁置 下一步 稍后 进行到 待办",
        "文档尚在写",
    ),
    wishes: cues("计划 打算 将要 将会 应该 需要 准备 预计", "文档计划下周完成"),
    conditions: cues("如果 一旦 等到 之前 只要", "如果文档完成"),
    negations: cues("未 没 不是 并非 不能", "文档未完成"),
    doubles_negation: true,
    none: cues("无 無 没有 沒有 零 不再有 没什么 不剩 已无", "没有任务"),
    left: cues("待办 待处理 剩余 未完 遗留 剩下 剩 要做 没做 未做 需要做 未竟 剩餘 待辦", "没有待办"),
    all: cues("全部 所有 每个", "所有任务"),
    work: cues("任务 工作", "所有任务"),
    all_work: cues("所有任务 全部任务 所有工作 全部工作 一切 全部事项 所有事项", "所有任务已完成"),
    rest: cues("其他 其它 其余 别的", "其余都已完成"),
    but: cues("但 不过 只是", "完成，但没有测试"),
    except: cues("除了", "除了文档"),
    user: cues("用户", "用户要求"),
    said: cues(
        "要求 希望 想要 说 表示 决定 确认 同意 批准 坚持 提出 强调 请求 指定 写道 认为 需要 偏好 指示 接受",
        "用户要求",
    ),
    messages: cues("消息 请求 要求 指令 原话", "用户的原话"),
    suggests: cues("也许 或许", "也许用 nom"),
    demands: cues("必须 总是", "必须用 nom"),
    tests: cues("测试 測試", "测试通过"),
    build: cues("构建", "构建成功"),
    passes: cues("通过 通過 成功 正常", "测试通过"),
    fails: cues("失败 失敗", "测试失败"),
    mended: cues("修复 解决 消除", "失败已经修复"),
    trouble: cues("错误 失败 报错 问题", "没有错误"),
    messages_title: cues("用户消息 用户的消息", "所有用户消息"),
    pending_title: cues("未完成 待办 待处理", "待办事项"),
    done_title: cues("已完成", "已完成"),
    current_title: cues("当前 下一步", "当前工作"),
    ..NOTHING
};

const JAPANESE: SummaryWords = SummaryWords {
    done: cues(
        "完了 済み 終わ 終了 完成 片付 解消 解決 修正され 終え 済ませ 済んで 済んだ 済みました 済です 完結 達成 完遂 果たし 仕上が 仕上げました 仕上げた 出来上が できあが でき上が \
         実装され 実装しました 実装した 実装済 対応済 作成済 マージされ マージしました マージ済 リリース済 クローズ 整いました 整った 成し遂げ やり遂げ 対応しました",
        "文書は完了",
    ),
    open: cues(
        "半分 まだ 残り 残っている 残っており 残っています 残る 予定 進行中 作業中 途中 これから 保留 未着手 着手 次に 一部 途上 継続",
        "文書はまだ",
    ),
    wishes: cues("つもり べき 必要 する予定", "完了する予定"),
    conditions: cues("たら すれば 場合 次第", "完了したら"),
    negations: cues("していません ていない ません ない", "完了していません"),
    doubles_negation: true,
    none: cues("なし 無し ありません ゼロ 残っていない 残っていません", "タスクなし"),
    left: cues("残 未完 やること すべきこと やるべき", "残りなし"),
    all: cues("すべて 全て 全タスク 全部", "すべてのタスク"),
    work: cues("タスク 作業", "すべてのタスク"),
    all_work: cues("すべてのタスク 全てのタスク 全タスク 全作業 すべての作業 全ての作業", "全タスク完了"),
    rest: cues("その他 ほか 他の それ以外", "他のタスクは完了"),
    but: cues("ただし しかし が、", "完了。ただしテストなし"),
    except: cues("以外 を除", "文書以外"),
    user: cues("ユーザー ユーザ 利用者", "ユーザーは"),
    said: cues(
        "希望 要望 求め 依頼 言 述べ 決め 決定 確認 同意 承認 強調 指示 指定 書 望 主張 要求 好",
        "ユーザーは希望しています",
    ),
    messages: cues("発言 メッセージ 要望 依頼 指示 言葉", "ユーザーの発言"),
    suggests: cues("かもしれ", "nom かもしれない"),
    demands: cues("必ず 常に", "必ず nom"),
    tests: cues("テスト", "テストが通過"),
    build: cues("ビルド", "ビルド成功"),
    passes: cues("通過 パス 成功 通って 通り", "テストが通過"),
    fails: cues("失敗", "テスト失敗"),
    mended: cues("解消 解決 修正", "失敗は解消"),
    trouble: cues("失敗 エラー", "エラーなし"),
    messages_title: cues("ユーザー", "ユーザーのメッセージ"),
    pending_title: cues("未完了 残り 保留中", "未完了のタスク"),
    done_title: cues("完了", "完了した作業"),
    current_title: cues("現在 次の", "現在の作業"),
    ..NOTHING
};

const KOREAN: SummaryWords = SummaryWords {
    done: cues(
        "완료 끝났 끝냈 마쳤 해결 끝남 끝마 완성 완수 완결 종료 달성 마무리됐 마무리되었 마무리했 마무리하였 마무리됨 마무리_지 처리됐 처리되었 처리했 처리됨 구현됐 구현되었 구현했 \
         구현됨 다_했 다_됐 다_되었 이루어졌 병합됐 병합되었 병합했 반영됐 반영되었 배포됐 배포되었 고쳤 수정됐 수정되었 수정했 수행했 수행되었 준비됐 준비되었",
        "문서 작업 완료",
    ),
    open: cues(
        "절반 아직 미완료 진행_중 남은 남아 예정 중입니다 하는_중 작업_중 보류 미뤄 부분적 일부 중이 나중",
        "문서 작업 미완료",
    ),
    wishes: cues("계획 해야 필요 할_것 예정 하려 되어야 하겠", "완료할 계획"),
    negations: cues("안_ 않 못", "하지 않았다"),
    none: cues("없음 없습니다 없다 없이 없고 없어 없었 없는", "없음"),
    left: cues("남은 대기 남아 할_일 미완료 남지", "남은 작업"),
    all: cues("모든 모두 전부", "모든 작업"),
    work: cues("작업 과제 할_일 태스크 일감", "모든 작업"),
    all_work: cues("모든_작업 모든_일 모든_과제 모든_할 작업이_모두 작업을_모두", "모든 작업 완료"),
    rest: cues("나머지 다른", "나머지 완료"),
    but: cues("하지만 그러나", "완료, 하지만 테스트 없음"),
    user: cues("사용자", "사용자는"),
    said: cues("원합 원한 원했 요청 말했 결정 확인 동의 승인 강조 지시 요구 선호", "사용자는 요청했다"),
    messages: cues("메시지 요청 지시", "사용자의 요청"),
    suggests: cues("아마", "아마 nom"),
    demands: cues("반드시 항상", "항상 nom"),
    tests: cues("테스트", "테스트 통과"),
    build: cues("빌드", "빌드 성공"),
    passes: cues("통과 성공", "테스트 통과"),
    fails: cues("실패", "테스트 실패"),
    mended: cues("해결 수정", "실패 해결"),
    trouble: cues("오류 실패 에러", "오류 없이"),
    messages_title: cues("사용자_메시지", "모든 사용자 메시지"),
    pending_title: cues("남은 미완료 대기_중 할_일", "남은 작업"),
    done_title: cues("완료", "완료된 작업"),
    current_title: cues("현재 다음", "현재 작업"),
    conditions: cues("되면 하면 나면 내면 끝날_때 전까지", "완료되면"),
    ..NOTHING
};

const RUSSIAN: SummaryWords = SummaryWords {
    done: cues(
        "заверш* выполнен* сделан* закончен* реализован* исправлен* решен* решён* готов готова готово готовы \
         доделан* доведен* доведён* окончен* осуществлен* осуществлён* внедрен* внедрён* закрыт закрыта \
         закрыто закрыты проделан* выпущен* устранен* устранён* улажен* исполнен* достигнут* закончил* \
         завершил* сделал* доделал* выполнил* реализовал* исправил* внедрил* разобрались разобрался \
         покончено влит* смержен* выложен* развернут* развёрнут* на_месте в_продакшене под_ключ дело_сделано",
        "документация готова",
    ),
    open: cues(
        "наполовину ожида* ещё еще осталось остаётся остается почти частично сейчас в_процессе предстоит \
         отложен* начат* незаверш* незаконч* недодел* в_работе в_ожидании заблокирован* половин* дальше \
         следующ*",
        "осталось написать документацию",
    ),
    wishes: cues(
        "будет будут нужно надо должен должн* планиру* следует может могут можно хотим собира* необходимо \
         требуется",
        "документация будет готова",
    ),
    conditions: cues("когда если пока", "когда документация готова"),
    times: cues("после перед", "готово перед тестами"),
    negations: cues("не никогда", "не готова"),
    doubles_negation: true,
    none: cues("нет ничего без ни_од нол* не_осталось больше_нет нечего", "задач нет"),
    left: cues(
        "осталось остаётся остается открыт* незаверш* делать доделать недодел* незаконч*",
        "ничего не осталось",
    ),
    all: cues("все всё каждый", "все задачи"),
    work: cues("задач* работа работы работу дела пункт*", "все задачи"),
    all_work: cues("все_задач* всё весь_список вся_работа все_дела", "все задачи выполнены"),
    rest: cues("остальн* друг*", "остальное готово"),
    but: cues("но однако", "готово, но без тестов"),
    except: cues("кроме", "кроме документации"),
    user: cues("пользовател*", "пользователь просит"),
    said: cues(
        "хочет попросил просит сказал решил предпочитает требует потребовал подтвердил настаивает \
         согласился одобрил написал желает указал отметил ожидает просил пояснил",
        "пользователь просит",
    ),
    messages: cues("запрос* сообщен* просьб* слова требован* указан*", "запрос пользователя"),
    suggests: cues("возможно может_быть", "может быть nom"),
    demands: cues("всегда никогда обязательно", "всегда nom"),
    tests: cues("тест*", "тесты проходят"),
    build: cues("сборк*", "сборка прошла"),
    passes: cues("проходят проходит прошли прошёл прошла пройден* успешн* зелён* зелен*", "тесты проходят"),
    fails: cues("падают падает упал* провал*", "тесты падают"),
    mended: cues("исправлен* устранен* решен* решён*", "сбой исправлен"),
    trouble: cues("ошиб* сбо* провал*", "без ошибок"),
    messages_title: cues("сообщения_пользовател", "Сообщения пользователя"),
    pending_title: cues("ожидающие оставш", "Оставшиеся задачи"),
    done_title: cues("выполнено завершено", "Выполнено"),
    current_title: cues("текущ следующ", "Текущая работа"),
    ..NOTHING
};

// ---- what only English needs

/// Marks of something done, and of something open.
pub static DONE_MARKS: Cues = cues("✅ ✓ ✔ ☑ [x] 🎉 🏁 💯 (100%) :_100% —_100% ~~", "[x] Write the docs");
pub static OPEN_MARKS: Cues = cues("⏳ 🔄 ⬜ ☐ [_] 🚧 ❌ ⚠ ◻", "[ ] Write the docs");

/// Titles of the analysis before a summary.
pub static STORY_TITLE: Cues = cues("analysis chronological", "Chronological analysis");
/// Words of a sentence, which is no title: "Not all tasks are completed: …".
pub static SENTENCE: Cues = cues("not no is are was were", "not all tasks are completed");

/// Before "complete", where it is a status and not an order.
pub static COMPLETE_AFTER: Cues =
    cues("is are now fully 100 been all be code feature", "the merge is complete");
/// A status at the end of a text: "Check what may not be cleaned up: done".
pub static STATUS: Cues = cues(
    "done completed complete finished implemented resolved shipped closed merged delivered erledigt fertig \
     abgeschlossen umgesetzt terminé terminée fini finie fait faite achevé achevée concluído concluída feito \
     feita pronto pronta hecho hecha terminado terminada completado completada listo lista fatto fatta \
     finito finita completato completata готово готова выполнено сделано завершено 完成 已完成 完了 済み 완료 완료됨",
    "docs: done",
);
/// Prepositions that limit nothing between "all" and the work.
pub static IDLE: Cues = cues("of in for von de di", "all of the work");
/// What narrows a claim down to a part.
pub static NARROWS: Cues = cues(
    "phase phases part session above these those previous previously earlier prior first so_far listed following \
     original each review reviewer feedback fase parte from of in on for under except but subtasks some most \
     nearly almost only new existing related against half",
    "all tasks of phase 1",
);
/// What else narrows a claim about a check down, or tells the past.
pub static NARROWS_CHECK: Cues = cues(
    "to make check want expected was were had that then pre added more last",
    "the tests were green then",
);
/// What may be left without being work.
pub static NOT_WORK: Cues = cues("longer decisions question questions errors", "no open questions");
/// For what finished work is ready.
pub static READY_FOR: Cues =
    cues("merge merging ship release review deploy deployment production", "ready for review");
/// The same in one word.
pub static READY: Cues = cues("merge_ready production_ready release_ready", "it is production ready");

/// Commands and words for linters, and for type checkers.
pub static LINTERS: Cues = cues("lint linter linting clippy eslint ruff", "clippy is clean");
pub static TYPE_CHECKS: Cues = cues("typecheck type_check type_checking types tsc mypy", "tsc is clean");
/// Words before the name of a check that do not narrow it down.
pub static WIDE: Cues = cues(
    "all the full entire whole unit and integration now complete our its project every os as die tests test suite \
     everything current",
    "the full test suite",
);

/// After the user, where somebody else speaks: "the user was told".
pub static PASSIVE: Cues = cues("was were is are been wurde wurden fue foi", "the user was told");
/// Somebody else who speaks: "I told the user", "the user asked why, I explained that".
pub static SPEAKERS: Cues = cues("i i'd i've we assistant agent ich wir je j'ai nous", "I told the user");
/// Before the user, if they are spoken to.
pub static TOLD_TO: Cues = cues("to for with dem à", "explained to the user");
/// Said to the user: a sentence of the agent's with one of these may tell what they want.
pub static ADDRESSED: Cues = cues("you your yours you've you'd you're", "the scheme you've outlined");
/// The newest of several.
pub static LATEST: Cues = cues("latest last most_recent final newest", "the latest request");
/// Words between two quotations of the same person.
pub static LINKS: Cues = cues("and then also later or plus followed by", "\"a\" and \"b\"");
/// A lasting order.
pub static ORDERS: Cues = cues("always never from_now_on must don't do_not no_longer", "from now on use nom");
/// What no longer holds.
pub static GONE: Cues = cues(
    "no_longer withdr* lifted earlier initially originally previously later then changed",
    "it was originally required",
);
/// A file was changed.
pub static CHANGED: Cues =
    cues("modified edited updated changed rewrote rewritten refactored fixed extended", "edited src/a.rs");
/// A file was made, or begun.
pub static CREATED: Cues = cues("created wrote written generated incomplete", "created src/a.rs");
/// Something was built, and only planned.
pub static BUILT: Cues = cues("implement* built", "finished implementing the parser");
pub static PLANNED: Cues = cues("plan plans planned planning design", "the implementation plan is complete");
/// A change was undone.
pub static TAKEN_BACK: Cues = cues(
    "revert* undid undo undone restored restore rolled_back put_back taken_back backed_out original removed",
    "the edit was reverted",
);
/// What a look at the files showed.
pub static CONFIRMS: Cues = cues(
    "confirm* verif* showed shows found search* grep occurrences matches remain*",
    "grep confirmed none",
);
/// What stands in the place of something else.
pub static INSTEAD: Cues =
    cues("instead rather than anstatt statt au_lieu en_lugar en_vez no", "b.rs instead of a.rs");
/// Before a time, a state is history.
pub static BEFORE: Cues = cues("before avant antes vor bevor перед до", "green before the merge");
/// A program is there.
pub static PRESENT: Cues = cues("ok installed available present works working", "jq is installed");
/// A file was left as it was.
pub static KEPT: Cues = cues(
    "unchanged untouched as-is intact unmodified not_modified not_changed not_edited not_touched",
    "src/a.rs was left untouched",
);
/// Before such a word.
pub static LEFT: Cues = cues("left kept remains remained stays read only", "left untouched");
/// A number that a summary computes itself, by the word before it.
pub static DERIVED: Cues = cues("about around roughly approximately over line lines total", "about 40 files");
/// What has a number of its own: `PR 12`.
pub static NUMBERED: Cues = cues("pr pull request issue mr", "PR 12");
/// What plans number.
pub static LABELS: Cues = cues("phase milestone sprint chapter epic", "phase 12");
/// What may come before such a number in a record: commands, addresses, fields.
pub static NUMBERED_IN_RECORD: Cues = cues(
    "pr prs pull pulls request requests issue issues mr merge_requests number num id view checkout checks merge diff \
     comment edit close",
    "gh pr view 12",
);
/// Verbs of tasks that produce something. "Test the limiter" and "document the limiter" are other work.
pub static MAKING: Cues = cues(
    "add adopt apply build connect convert create enable extend extract finish fix handle hook implement improve \
     integrate introduce make merge migrate move port refactor remove rename replace rewrite set support switch update \
     wire write",
    "wire the limiter into the gateway",
);
/// Past tenses that do not end in "ed".
pub static PAST: Cues = cues("wrote written built made ran sent", "wrote the docs");
/// Words that want another one behind them.
pub static WANTING: Cues =
    cues("the a an and or of to in with for that which is was by from", "src/a.rs and the");

/// Opposites: "the oldest entry" is not "the newest entry".
pub const OPPOSITES: &[(&str, &str)] = &[
    ("oldest", "newest"),
    ("oldest", "latest"),
    ("first", "last"),
    ("old", "new"),
    ("before", "after"),
    ("with", "without"),
    ("enable", "disable"),
    ("enabled", "disabled"),
    ("enables", "disables"),
    ("allow", "deny"),
    ("allowed", "forbidden"),
    ("include", "exclude"),
    ("included", "excluded"),
    ("always", "never"),
    ("minimum", "maximum"),
    ("least", "most"),
    ("increase", "decrease"),
    ("ascending", "descending"),
    ("sync", "async"),
    ("synchronous", "asynchronous"),
    ("public", "private"),
    ("required", "optional"),
    ("lowest", "highest"),
    ("up", "down"),
    ("true", "false"),
    ("client", "server"),
    ("local", "remote"),
    ("read-only", "read-write"),
    ("open", "closed"),
    ("internal", "external"),
];

/// Every list of a language.
pub const FIELDS: [fn(&SummaryWords) -> &Cues; 30] = [
    |of| &of.times,
    |of| &of.rest,
    |of| &of.said,
    |of| &of.messages,
    |of| &of.mended,
    |of| &of.done,
    |of| &of.open,
    |of| &of.wishes,
    |of| &of.conditions,
    |of| &of.negations,
    |of| &of.none,
    |of| &of.left,
    |of| &of.all,
    |of| &of.work,
    |of| &of.all_work,
    |of| &of.but,
    |of| &of.except,
    |of| &of.user,
    |of| &of.suggests,
    |of| &of.demands,
    |of| &of.tests,
    |of| &of.build,
    |of| &of.passes,
    |of| &of.fails,
    |of| &of.trouble,
    |of| &of.excuses,
    |of| &of.messages_title,
    |of| &of.pending_title,
    |of| &of.done_title,
    |of| &of.current_title,
];

/// Every list that only English has.
pub static ONLY_ENGLISH: &[&Cues] = &[
    &DONE_MARKS,
    &OPEN_MARKS,
    &STORY_TITLE,
    &SENTENCE,
    &COMPLETE_AFTER,
    &STATUS,
    &IDLE,
    &NARROWS,
    &NARROWS_CHECK,
    &NOT_WORK,
    &READY_FOR,
    &READY,
    &LINTERS,
    &TYPE_CHECKS,
    &WIDE,
    &PASSIVE,
    &SPEAKERS,
    &ADDRESSED,
    &INSTEAD,
    &BEFORE,
    &TOLD_TO,
    &LATEST,
    &LINKS,
    &ORDERS,
    &GONE,
    &CHANGED,
    &DERIVED,
    &NUMBERED,
    &LABELS,
    &NUMBERED_IN_RECORD,
    &MAKING,
    &PAST,
    &WANTING,
    &CREATED,
    &BUILT,
    &PLANNED,
    &TAKEN_BACK,
    &CONFIRMS,
    &PRESENT,
    &KEPT,
    &LEFT,
];
