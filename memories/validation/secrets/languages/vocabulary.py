"""The structure of the vocabulary of a language."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words of one language around secrets.

    Each field is a regular expression, in lower case and without accents, as `fold` returns texts (but with "è", and
    with "é" as a word). Line breaks are ignored. They match whole words.

    Names of secrets:

    - `passwords`: words for a password that mean nothing else.
    - `keys`: words for a password that also mean other things.
    - `network_keys` and `networks`: words for any key, which are the password of a network that is named, too.
    - `passphrases`: words for a secret of several words.
    - `pins`, `recoveries`: words for a PIN; for codes and phrases that replace a lost password or device.
    - `lock_codes`: words for the code of an alarm, a door or a safe.
    - `card_codes`: words for the security code of a payment card.
    - `codes`: words for any code or number. They count beside `locks` or `devices` only.

    Things:

    - `locks`: things that open with a code.
    - `noted_locks`, `key_boxes`: alarms and boxes for keys, of which notes have no other number than their code.
    - `dial_locks`: locks with few dials, whose codes may have three digits.
    - `number_locks`: locks and key pads that are opened with nothing but a code.
    - `noted_safes`, `noted_dials`: safes, and locks with few dials. They also have prices: few notes have their codes.
    - `noted_gates`: gates, whose other numbers are prices, and at airports have few digits.
    - `hotel_safes`: safes in hotels, which nobody buys.
    - `noted_networks`: networks in a note with the password only.
    - `devices`: things that are unlocked with a PIN.
    - `accounts`: things that are entered with a user name or a password.
    - `services`: other things with a password: "online banking".
    - `logins`: words before a user name and its password: "login: elin / …".

    Between a name and its secret:

    - `of` and `owned`: prepositions and articles between a name and what it opens: "for", "my".
    - `links`: verbs that join them: "is".
    - `fillers`: words that may follow a link: "now", "the number".
    - `changes` and `to`: verbs of setting, and the preposition before the new value.
    - `like`: words between a secret and its name: "1234 as the PIN".
    - `mine`: words between a secret and its name: "1234 is my PIN".

    Around a secret without a name:

    - `entries`: verbs or phrases right before digits that are typed.
    - `late_entries`: verbs of typing that follow the digits.
    - `unlocks`: verbs of unlocking in notes: "unlock".
    - `opens` and `by`: verbs of opening, and the preposition before a code.
    - `turns`: directions in which the dial of a safe is turned: "left", before or after a number.
    - `key_presses`: words for another key to press after the digits: "and then the star".
    - `users`: words before a user name.
    - `passes`: short words for a password that also mean other things. They count beside `accounts` or `services` only.
    - `origins`: dates of which people make codes: "birth year".

    Signs that there is no secret:

    - `compounds`: words after a name that make it another thing: "password manager".
    - `owners`: phrases that end before a name and make it another thing: "length of the".
    - `other_codes`, `other_codes_after`: words directly before or after a code that is not secret: "zip code".
    - `breaks`: words that begin another thought between a name and a value.
    - `predicates`: words that describe a password: "my password is weak".
    - `endings`: words with the endings of such words, with accents.
    - `spellings`: words about the spelling of a password, after it: "all in lower case".
    - `function_words`: words that a phrase of random words does not have.
    - `units`: words after a number that make it an amount.
    - `public`: words for statements about codes in general, in fiction or in examples.

    Others:

    - `numbers`: words for the numbers from 10 to 99, as in "forty-four twelve".
    - `digits`: words for the digits from 0 to 9, in order; spellings of one digit are separated by bars.
    - `documents`: passports and identity cards, whose numbers have no check digit that everyone knows.
    - `national_ids`: words for national identity numbers.
    """

    passwords: str
    keys: str
    network_keys: str
    networks: str
    passphrases: str
    pins: str
    recoveries: str
    lock_codes: str
    card_codes: str
    codes: str
    locks: str
    noted_locks: str
    key_boxes: str
    dial_locks: str
    number_locks: str
    noted_safes: str
    hotel_safes: str
    noted_dials: str
    noted_gates: str
    noted_networks: str
    devices: str
    accounts: str
    services: str
    logins: str
    of: str
    unlocks: str
    owned: str
    links: str
    fillers: str
    changes: str
    to: str
    like: str
    mine: str
    entries: str
    late_entries: str
    opens: str
    by: str
    compounds: str
    owners: str
    other_codes: str
    other_codes_after: str
    breaks: str
    predicates: str
    endings: str
    spellings: str
    function_words: str
    units: str
    public: str
    turns: str
    key_presses: str
    numbers: str
    origins: str
    users: str
    passes: str
    digits: str
    documents: str
    national_ids: str
