"""The words of a command as values, and what is wrong with them."""
import re

from places import WrongWords


def no_words(words):
    if words:
        raise WrongWords(f"'{words[0]}' is one word too many")


def whole(word, name, least, most):
    if not re.fullmatch("[0-9]{1,9}", word) or not least <= int(word) <= most:
        raise WrongWords(f"{name} is a whole number from {least} to {most}, not '{word}'")
    return int(word)


def number(word, name, most):
    if not re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", word) or not 0 < float(word) <= most:
        raise WrongWords(f"{name} is a number above 0 and at most {most}, not '{word}'")
    return float(word)


def take(words, options):
    """The other words, and the value of each option: `options` has its default and its limits."""
    values, rest = {name: default for name, (default, _, _) in options.items()}, []
    while words:
        word, *words = words
        if word in options:
            value, *words = words or [""]
            values[word] = whole(value, word, *options[word][1:])
        elif word.startswith("-"):
            raise WrongWords(f"there is no option '{word}': {' '.join(options)}")
        else:
            rest.append(word)
    return rest, values.values()
