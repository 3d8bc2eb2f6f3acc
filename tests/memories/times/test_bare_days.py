"""Weekdays without a preposition, and days without a month."""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import UTC, date, datetime

import pytest

from memories.times.bare_days import with_days
from memories.times.bare_weekdays import with_weekdays
from memories.times.statements import READ_CHARS, stated_period

SAID = datetime(2026, 5, 6, 9, tzinfo=UTC)
"""A Wednesday."""

DATED: Mapping[int, tuple[str, ...]] = {
    7: (
        "Jeudi je prends l'avion, vol à 9h",
        "Donnerstag fliege ich nach Oslo",
        "I'm flying to Oslo Thursday",
        "Thursday at 9 the chimney sweep comes", "Parents' evening Thursday at 7 pm",
        "Wir haben Elternabend Donnerstag um 19 Uhr", "Thursday evening theatre with Jo",
        "The new sofa arrives Thursday", "Electrician Thursday, 8:30", "Die Couch kommt Donnerstag",
        "Jeudi : livraison du canapé", "Le canapé arrive jeudi", "Jueves: llega el sofá", "Giovedì arriva il divano",
        "Il divano arriva giovedì", "Eye test Thursday at 4 pm", "Passport appointment Thursday",
    ),
    8: (
        "Friday dentist 10:30", "Friday: dentist at 10", "Friday, parents' evening at 7 pm", "- Friday 10:30 dentist",
        "Friday morning: blood test", "Freitag Zahnarzt", "Freitag 10:30 Zahnarzt", "Freitag um 10 Zahnarzt",
        "Freitag kommt der Klempner", "Freitag, 14 Uhr: Übergabe der Wohnung", "Vendredi dentiste 10h30",
        "Vendredi : dentiste", "Viernes dentista 10:30", "Viernes: dentista", "Venerdì dentista",
        "Venerdì alle 10 dentista", "Dentist Friday", "Dentist Friday 10:30", "Dentist Friday at 10",
        "The plumber is coming Friday", "I'm seeing the dentist Friday morning", "Lunch with Anna Friday 12:30",
        "Zahnarzt Freitag", "Zahnarzt Freitag 10:30", "Zahnarzt Freitag um 10", "Der Klempner kommt Freitag",
        "Rendez-vous chez le dentiste vendredi à 10h30", "Je vois le dentiste vendredi", "Dentiste vendredi",
        "Dentista viernes 10:30", "Dentista viernes", "Cita con el dentista viernes a las 10", "Dentista venerdì",
        "Vado dal dentista venerdì", "Dentista venerdì alle 10", "Friday we have to return the rental car",
        "Deadline for the essay: Friday", "Dentist Friday, 8 May", "Friday, 8 May dentist", "Freitag 8. Mai Zahnarzt",
        "Friday 9am dentist", "Dentist Friday, bring the X-rays", "dentist friday", "zahnarzt freitag 10 uhr",
        "Tom is picking up the bike Friday evening",
    ),
    9: (
        "Visita all'appartamento sabato alle 11",
        "Visita del piso sábado 11:00",
        "Visite de l'appartement samedi à 11h",
        "Saturday 11am flat viewing, bring ID",
        "Flat viewing Saturday 11 am",
        "Saturday drinks with the neighbours", "Samstag: Umzug von Lena", "Samedi on va chez Paul",
        "Sabato andiamo da Paolo", "The kids are back on the 9th", "The kids are back on the 9th.",
        "Back in Graz on the 9th at noon", "The lift is broken until the 9th", "Kinder am 9. zurück",
        "Die Kinder sind am 9. zurück", "Der Aufzug ist bis zum 9. kaputt", "Zurück am 9.",
        "Les enfants reviennent le 9", "L'ascenseur est en panne jusqu'au 9", "Los niños vuelven el 9",
        "El ascensor no funciona hasta el 9", "I bambini tornano il 9", "L'ascensore è guasto fino al 9",
        "Saturday 15:00 Mia's recital", "Mum flies home Saturday afternoon", "Samstag Abend Essen bei Meiers",
        "Samedi soir théâtre", "Sábado cena con los vecinos a las 21:00", "Sabato sera teatro",
        "Friday dentist, Saturday party", "The party is on the 9th and the dentist Friday",
        "Granny's 80th party Saturday at 3", "Moving day: Saturday", "Die Waschmaschine wird Samstag geliefert",
        "Schlüsselübergabe Samstag", "La machine à laver est livrée samedi", "Remise des clés samedi",
        "Entrega de llaves sábado", "Consegna delle chiavi sabato",
    ),
    10: (
        "Sunday: lunch with Grandma",
        "Lena's graduation party Sunday afternoon",
        "Sunday lunch with the Kellers at 12:30", "Sonntag fahren wir zu Oma", "Ben lands Sunday at 14:20",
        "Sunday at 11 brunch with the in-laws", "We're hosting the neighbours Sunday evening",
        "Dimanche on mange chez mes parents", "We fly to Porto Sunday", "Sonntag fliegen wir nach Porto",
        "Dimanche on s'envole pour Porto", "Domenica voliamo a Porto",
    ),
    11: (
        "Le couvreur vient lundi matin",
        "Der Dachdecker kommt Montag früh",
        "The roofer is coming Monday morning",
        "Monday we're viewing a flat in Leeds", "Montag früh Blutabnahme", "Lundi matin prise de sang",
        "Lunes a las 9 análisis de sangre", "Lunedì: esami del sangue", "MRI Monday 7:40", "Abgabe der Steuer Montag",
        "Le plombier passe lundi matin", "L'idraulico viene lunedì mattina", "Monday blood test at the clinic",
        "Vet appointment Monday 16:15", "Car goes to the garage Monday", "Handing in the keys Monday morning",
        "Steuerberater: Montag 9 Uhr", "On signe le bail lundi à 14h", "Reunión con el gestor lunes a las 12",
        "Firmo il contratto lunedì alle 14", "Dentist Friday, call back Monday",
        "Ultrasound Monday 8:20 at the clinic", "Job interview Monday, 9:30",
        "Leo's dentist Friday 4 pm, Ida's Monday 3 pm", "Montag Termin bei der Bank um 14 Uhr",
        "Bewerbungsgespräch Montag 9:30", "Ultraschall Montag 8:20", "Dermato lundi 11h20",
        "Entretien d'embauche lundi à 9h30", "Cita con la dermatóloga lunes 11:20",
        "Entrevista de trabajo lunes 9:30", "Dermatologo lunedì 11:20", "Colloquio di lavoro lunedì alle 9:30",
    ),
    12: (
        "Elternabend Dienstag 19:30 in der Aula",
        "Parcel delivery Tuesday",
        "Tue 8:15 dentist", "Call with the bank Tuesday, 3 pm", "Parents' evening on the 12th at 7 pm",
        "I have to send the form by the 12th", "Am 12. ist Elternabend", "Am 12. kommt der Klempner",
        "Le plombier passe le 12 à 10h", "El fontanero viene el día 12 a las 10", "L'idraulico viene il 12 alle 10",
        "Tuesday: tax adviser, bring receipts", "Interview Tuesday at 9 am", "Dienstag Friseur 15:30",
        "Tierarzt Dienstag 9:15", "Mardi coiffeur à 15h", "Vétérinaire mardi 9h15", "Martes peluquería 15:30",
        "Veterinario martes 9:15", "Martedì parrucchiere alle 15", "Veterinario martedì 9:15",
        "The heating is off until the 12th", "Die Heizung ist bis zum 12. aus", "Chauffage coupé jusqu'au 12",
        "Sin calefacción hasta el 12", "Riscaldamento spento fino al 12",
    ),
    13: (
        "L'idraulico torna il 13",
        "El fontanero vuelve el 13",
        "Le plombier revient le 13",
        "Der Klempner kommt am 13. wieder",
        "The plumber returns on the 13th",
        "Spazzacamino e tecnico mercoledì alle 8",
        "Revisión del coche miércoles 8:00",
        "Schornsteinfeger Mittwoch 8 Uhr",
        "Chimney sweep Wednesday, 8 am",
        "Wed 9:30 vet", "Mittwoch 8 Uhr Tierarzt", "Hautarzt Mittwoch 11:20",
    ),
    14: (
        "My parents arrive on the 14th", "Oma kommt am 14.", "Mes parents arrivent le 14", "Mis padres llegan el 14",
        "I miei arrivano il 14",
    ),
    16: (
        "Grandpa gets home on the 16th", "Opa kommt am 16. heim", "Papi rentre le 16", "El abuelo vuelve el 16",
        "Il nonno torna il 16",
    ),
    17: (
        "Tom gets back on the 17th in the evening", "Wir sind am 17. wieder da",
    ),
    19: (
        "Visa appointment on the 19th at 8:40", "Rendez-vous visa le 19 à 8h40", "Cita del visado el 19 a las 8:40",
        "Appuntamento per il visto il 19 alle 8:40",
    ),
    20: (
        "Lift closed until the 20th",
        "Return the books by the 20th", "Am 20. fliegen wir nach Rom",
    ),
    21: (
        "Surgery is on the 21st at 7 am", "Operation am 21. um 7 Uhr", "Opération le 21 à 7h",
        "Operación el 21 a las 7", "Operazione il 21 alle 7",
    ),
}  # fmt: skip
"""Texts that end on a day of May 2026."""

HARMLESS = (
    "The flight simulator club meets Tuesday",
    "My hospital shift is Friday",
    "I teach Monday and go to concerts",
    "The Saturday concert series",
    "Friday flight deals",
    "He is a Sunday painter",
    "Visiting hours: Sunday 14:00",
    "The clinic is closed Friday",
    "The vet opens Monday 8:00",
    "Cinema tickets are cheap Tuesday",
    "Kino ist Dienstag billiger",
    "Mein Arzt macht Freitag zu",
    "Operation Black Friday",
    "The party leader Theresa Friday",
    "Deliveries arrive Monday to Thursday",
    "Besuch jeden Sonntag",
    "Konzerte sind Samstag immer voll",
    "Le médecin consulte mardi et jeudi",
    "Le cinéma est moins cher mardi",
    "El cine es más barato martes",
    "Il cinema costa meno martedì",
    "Visita guidata ogni sabato",
    "Surgery ward is on the 4th",
    "The garage is on the 1st, behind the house",
    "I was back on the 2nd",
    "Vet bills are due on the 5th",
    "The opera house sits on the 3rd",
    "The dentist is on the 3rd",
    "Every Friday dentist 10:30", "Fridays dentist 10:30", "Black Friday", "Bought the TV at Black Friday prices",
    "I want a new TV at Black Friday", "Good Friday", "Good Friday is a public holiday", "Man Friday",
    "Crusoe calls him Friday", "His best friend is Friday", "I love Fridays", "I love Friday",
    "I hate Monday mornings", "Friday's child is loving and giving", "Friday is my favourite day",
    "My favourite day is Friday", "My day off is Friday", "My day off: Friday", "Closed Sunday",
    "The shop is closed Sunday", "The museum is open Sunday", "Open Monday to Friday", "Sunday closed",
    "The market is Saturday", "Bin day is Tuesday", "Bins Tuesday", "Yoga Tuesday 18:30", "Tuesday yoga 18:30",
    "Choir practice Thursday 19:30", "Friday standup is at 9:30", "Friday nights we play cards",
    "Friday Night Lights is my favourite series", "Wednesday Addams is my daughter's idol",
    "Sunday Times subscription", "Ruby Tuesday", "My favourite author is Nancy Friday",
    "Nancy Friday wrote that book", "Our cat is called Sunday", "Our cat Friday is 3", "I read the Sunday Times",
    "Friday the 13th is my favourite film", "Friday deploys are forbidden", "Friday prayers at the mosque",
    "Sunday roast at my parents'", "Taco Tuesday", "Casual Friday at work", "I work Monday and Tuesday",
    "She works Friday", "Mon-Fri 9-17", "Monday: gym\nTuesday: choir\nWednesday: pasta\nThursday: soup",
    "The best day is Sunday", "I prefer Friday", "We picked Friday", "Someone called Tuesday",
    "Thank God it's Friday", "It is Friday", "Rebecca Black sang Friday", "I'm Friday, the robot",
    "I'd choose Sunday", "Anything but Monday", "not Friday", "a quiet Sunday", "I need a lazy Sunday",
    "The first Sunday in Advent", "Easter Monday", "Ash Wednesday", "The play opens with a Monday",
    "Friday works for me", "Friday suits Anna best", "U2 wrote Sunday Bloody Sunday",
    "The Happy Mondays are my favourite band", "Monday.com is the tool we use",
    "Friday's meeting notes are in the wiki", "The Friday group is full", "Dinner with Joe Friday",
    "Freitags Zahnarzt", "Jeden Freitag Zahnarzt", "Freitag ist Ruhetag", "Ruhetag: Freitag",
    "Mein Lieblingstag ist Freitag", "Herr Freitag ist mein Chef", "Mein Chef ist Herr Freitag",
    "Termin bei Frau Sonntag", "Meine Lehrerin ist Petra Freitag", "Meine Lehrerin heißt Petra Freitag",
    "Ich mag Freitag", "Sonntag geschlossen", "Freitag Homeoffice", "Montag Chor", "Chorprobe Donnerstag 19:30",
    "Freitag habe ich frei", "Der schwarze Freitag", "Karfreitag", "Ostermontag", "Rosenmontag",
    "Montag bis Freitag 9 bis 17 Uhr", "Die Freitagsgruppe ist voll", "Freitag-Tasche verloren",
    "Familie Sonntag wohnt nebenan", "Freitag passt mir gut", "Ein schöner Sonntag", "Müll Dienstag",
    "Robinson und Freitag", "Le vendredi je travaille à la maison", "Chaque vendredi dentiste",
    "Les vendredis dentiste", "J'aime vendredi", "Fermé dimanche", "Vendredi ou la vie sauvage est mon livre préféré",
    "Vendredi est mon jour de repos", "Cours de yoga mardi 18h30", "Vendredi saint", "Lundi de Pâques",
    "Mon médecin est le Dr Amiri", "Vendredi me convient", "Los viernes dentista", "Cada viernes dentista",
    "Plácido Domingo es mi cantante favorito", "Mi cantante favorito es Plácido Domingo", "Cerrado domingo",
    "Viernes santo", "Domingo vive en Sevilla", "Domingo es mi tío", "Clase de yoga martes 18:30",
    "Santo Domingo es bonito", "Nací en Santo Domingo", "Ogni venerdì dentista", "Il venerdì dentista",
    "Mi piace venerdì", "Chiuso domenica", "Venerdì santo", "Domenica è mia zia", "Zia Domenica",
    "Mia zia si chiama Domenica", "Corso di yoga martedì 18:30", "Ernesto Sabato è il mio autore preferito",
    "Il mio autore preferito è Ernesto Sabato", "My son is in 9th grade", "The office is on the 9th floor",
    "The office is on the 9th", "We live on the 3rd", "Rent is due on the 3rd", "My salary arrives on the 25th",
    "The bill comes on the 9th of every month", "He was the 9th", "She came in 9th", "The 9th is my lucky number",
    "On the 9th day he rested", "The kids came back on the 9th of May 2024", "9th symphony", "I love Beethoven's 9th",
    "Beethoven's Ninth is on the 9th shelf", "The flat is on the 3rd", "He plays on the 9th hole",
    "the 5th of Beethoven", "Netflix renews on the 12th", "The 1st and the 15th are paydays",
    "Die Miete ist am 3. fällig", "Das Gehalt kommt am 25.", "Am 9. Loch", "Das Büro ist im 9. Stock",
    "Am 1. jeden Monats", "Beethovens 9. ist mein Lieblingsstück", "Am 1. und 15. kommt die Zeitung",
    "Am 9. Platz steht Graz", "Am 1. des Monats zahle ich", "Version 9. am Server", "Je prends le 9",
    "On prend le 9 jusqu'à la gare", "Mon chiffre préféré est le 9", "J'habite le 9e arrondissement",
    "Le loyer part le 5", "Le 9 de chaque mois", "Bus : le 9", "Le 9 à Paris est un bus", "Cojo el 9",
    "Mi número favorito es el 9", "El alquiler sale el 5", "El 9 de cada mes", "El autobús es el 9", "Prendo il 9",
    "Il mio numero preferito è il 9", "L'affitto si paga il 5", "Il 9 di ogni mese", "Il tram è il 9",
    "The kids came back on the 9th", "Die Kinder sind am 9. zurückgekommen", "Die Kinder kamen am 9. zurück",
    "Les enfants sont revenus le 9", "Saw the dentist Friday", "Met Tom Friday", "Sunday is family day",
    "Monday is the worst day of the week", "Monday mornings are hard for me", "My therapist only works Thursday",
    "I was born on a Sunday", "Sunday lunch is always at Grandma's", "Grandma Sunday was my nanny",
    "We named the boat Sunday", "Tuesday Weld is an actress", "I dislike Monday", "The baker is closed Monday",
    "No meetings Friday", "Meatless Monday", "Cyber Monday deals", "Boxing Day is a holiday", "It felt like a Monday",
    "My band is called Friday", "The Sunday paper comes at 8", "Friday evenings are for the sauna", "Girl Friday",
    "His girl Friday", "Super Bowl Sunday", "the Friday team", "Friday Island is in Australia", "Palm Sunday",
    "Super Tuesday", "Blue Monday by New Order", "Tom and Friday", "one Friday", "every second Monday",
    "every other Friday", "alternate Fridays", "Thursday is bin day", "Piano lesson Wednesday 17:00",
    "Wednesday piano lesson with Ms Lee", "Football training Tuesday 18:00", "Swimming Thursday",
    "Thursday swimming with Ida", "Monday home office", "On call Tuesday and Thursday", "Pub quiz Tuesday",
    "Tuesday pub quiz", "Sunday best", "Sunday driver", "Sunday closing time", "My middle name is Wednesday",
    "Wednesday, the Netflix show, is great", "Our hen Tuesday lays blue eggs", "Freaky Friday",
    "Monday, Wednesday, Friday: gym", "Any Monday", "I could do Friday", "Friday would be best", "Friday or Monday?",
    "Sonntag ist Familientag", "Der Bäcker hat Montag zu", "Montag ist mein Lieblingstag",
    "Ich bin an einem Sonntag geboren", "Klavierunterricht Mittwoch 17 Uhr", "Mittwoch Klavier",
    "Fußballtraining Dienstag 18 Uhr", "Blauer Montag", "Weißer Sonntag", "Frau Montag ist die Lehrerin",
    "Unser Nachbar heißt Sonntag", "Lisa Sonntag", "Mein Zahnarzt ist Dr. Freitag", "Die Firma Freitag macht Taschen",
    "Ich habe eine Freitag Tasche", "Tatort Sonntag 20:15", "Sonntags Tatort", "jeden zweiten Montag",
    "Kein Meeting Freitag", "Schwimmen Donnerstag", "Putzfrau Donnerstag 9 Uhr", "Freitag der 13. macht mir Angst",
    "Freitag, der 13.", "Dimanche est le jour de la famille", "Le boulanger ferme lundi", "Je n'aime pas lundi",
    "Cours de piano mercredi 17h", "Foot mardi 18h", "Mme Dimanche", "Le film s'appelle Vivement dimanche",
    "Vivement dimanche !", "un lundi sur deux", "Domingo es día de familia", "La panadería cierra lunes",
    "Clase de piano miércoles 17:00", "Fútbol martes 18:00", "Mi vecino es Domingo", "Domingo trabaja en Correos",
    "Semana Santa domingo de Ramos", "Lunes de Pascua", "Domenica è il giorno della famiglia",
    "Il panettiere chiude lunedì", "Lezione di piano mercoledì 17:00", "Calcio martedì 18:00",
    "La mia vicina Domenica", "Domenica lavora in posta", "Domenica delle Palme",
    "Il sabato del villaggio è una poesia", "We are on the 12th", "Her desk is on the 4th", "He finished on the 5th",
    "I came 3rd", "The toilets are on the 2nd", "by the 9th hole we were tired", "from the 3rd floor to the 5th",
    "Car insurance goes out on the 1st", "Gym membership is charged on the 5th", "The 2nd of each month",
    "Book club is on the 3rd", "the 14th Dalai Lama", "On the 1st of each month", "We stopped at the 9th",
    "Louis the 14th", "after the 3rd beer", "before the 2nd coffee", "Payday is on the 28th", "Wir wohnen im 3.",
    "Ludwig der 14.", "Am 3. Tag", "bis zum 3. Semester", "Die Versicherung wird am 1. abgebucht",
    "Der Lohn kommt am 28.", "am 2. gleich rechts", "Er ist am 2. Gymnasium", "Kapitel 3. am Anfang",
    "Ab dem 3. gilt Rabatt", "Habite au 9", "le 12 est en retard", "Le 20 heures", "Je chausse du 42 et le 41",
    "J'attends le 12", "Ma place est le 14", "Louis le 14", "Mi asiento es el 14", "Espero el 12", "Me gusta el 7",
    "Quiero el 14", "El 14 llega tarde", "Il mio posto è il 14", "Aspetto il 12", "Mi piace il 7",
    "Il 14 è in ritardo", "Dopo le 9", "verso le 10", "Negozio aperto tra le 9 e le 12", "sono le 9",
    "Chiamami dopo le 9", "Friday 6/12 dentist", "Dentist Friday 6/12", "Freitag 4.12 Zahnarzt",
    "Friday the 6th dentist", "Dentist Friday 12", "Is the dentist open Friday?", "Does the plumber come Friday?",
    "Zahnarzt Freitag hat zu", "Dr. Friday is my dentist", "My dentist is called Friday",
    "I see my dentist most Fridays", "The dentist is closed Friday", "The vet only comes Friday",
    "The dentist's day off is Friday", "The dentist called Friday", "The plumber came Friday",
    "The dentist, Mr Friday", "Monday clinic is run by Dr Shah", "The dentist's assistant is called Tuesday",
    "I always fly Sunday", "The concert hall is named after Anna Friday", "Holy Friday concert",
    "My favourite coffee is Black Monday", "The doctor works Monday and Thursday",
    "Grandma's house, every Sunday, party or not", "The GP sees patients Tuesday", "The vet is off Friday",
    "Friday flights are cheapest", "Friday is delivery day", "Delivery day is Friday", "Milk deliveries Friday",
    "The Friday flight to Porto is cheap", "A Sunday concert would be lovely", "Good Friday lunch with my parents",
    "Happy Friday, the party bar, is next door", "The opera Friday Night", "Thursday's concert", "I came back Sunday",
    "Sunday the plumber didn't come", "Die Hautärztin hat Mittwoch zu", "Praxis Dr. Sonntag, Zahnarzt",
    "Zahnarzt Dr. Sonntag", "Mein Arzt heißt Thomas Freitag", "Die Post liefert Samstag nicht",
    "Freitag kommt immer der Bäckerwagen", "Der Zahnarzt hat Freitag frei", "Ostersonntag Besuch",
    "Der Arzt Peter Montag ist nett", "Le dentiste est fermé lundi", "Le docteur Dimanche",
    "Le médecin ne vient pas lundi", "Lundi de Pentecôte, visite chez mamie", "El médico no viene lunes",
    "El doctor Domingo es simpático", "Il dottor Domenica è simpatico", "Il dentista chiude sabato",
    "Sabato santo visita a nonna", "Physio on the 2nd, third door left", "Der Zahnarzt ist im 3.",
    "Der Arzt sitzt am 5. Gang", "Le dentiste habite au 9", "Le dentiste, prenez le 9", "Der Flug am 9. war schön",
    "The flight on the 9th was late", "Rent is collected on the 1st", "El dentista está en el 3",
    "Il medico sta al 4",
)  # fmt: skip

DATED_TEXTS = [(day, text) for day, texts in DATED.items() for text in texts]


@pytest.mark.parametrize(("day", "text"), DATED_TEXTS, ids=[text for _, text in DATED_TEXTS])
def test_a_bare_day_of_something_that_happens_once_is_a_date(day: int, text: str) -> None:
    stated = stated_period(text, SAID)
    assert stated is not None
    assert stated.valid_until is not None
    assert stated.valid_until.date() == date(2026, 5, day)


@pytest.mark.parametrize("text", HARMLESS)
def test_names_routines_and_other_numbers_are_no_dates(text: str) -> None:
    stated = stated_period(text, SAID)
    assert stated is None or (stated.valid_from, stated.valid_until) == (None, None)
    assert stated is None or all(first < SAID.date() for first, _ in stated.days)


def test_a_bare_day_in_the_past_is_the_latest_one() -> None:
    stated = stated_period("The concert was on the 3rd", SAID)
    assert stated is not None
    assert (stated.valid_from, stated.valid_until) == (None, None)
    assert list(stated.days) == [(date(2026, 5, 3), date(2026, 5, 4))]


def test_a_timetable_of_several_weekdays_is_left_as_it_is() -> None:
    text = "Monday dentist\nTuesday doctor\nFriday concert"
    assert with_weekdays(text) == text


@pytest.mark.parametrize(
    "part",
    [
        "Friday ",
        "Dentist Friday, ",
        "dentist ",
        "on the 9th ",
        "am 9. ",
        "le 9 ",
        " ",
        "9",
        "\n",
        "a",
        "- ",
        "Dr. ",
        "freitag a ",
    ],
)
def test_hostile_texts_take_time_that_grows_with_their_length(part: str) -> None:
    text = (part * 100_000)[:100_000]
    start = time.process_time()
    with_days(with_weekdays(text[:READ_CHARS]))
    stated_period(text, SAID)
    assert time.process_time() - start < 0.5
