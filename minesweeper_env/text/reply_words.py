"""Vocabulary of the parser in `replies`: all words and forms that it knows in replies of language models."""

SPANISH = {**dict.fromkeys(("abrir", "abro", "abre"), "open"), **dict.fromkeys(("marcar", "marco"), "flag")}
"""The Spanish verbs of `VERBS`: they describe no cell, so in "voy a abrir" the "a" is no article."""

VERBS = {
    **dict.fromkeys(
        ("open", "reveal", "click", "uncover", "dig", "choose", "select", "pick", "play", "go with"), "open"
    ),
    **dict.fromkeys(("flag", "mark"), "flag"),
    **SPANISH,
}
"""The move that each verb means; a verb may also be a tool's name, such as open_cell."""

LABELS = (
    *("move", "action", "answer", "choice", "pick", "decision", "solution", "respuesta", "respuesta final", "jugada"),
    *("cell to open", "cell to reveal", "cell to click", "safest cell", "only safe cell", "chosen cell", "guess"),
)
"""Words that stand before a cell to open, in place of a verb, with one of `LABEL_ENDS` behind them."""

LABEL_ENDS = (":", "=", "→", "->", "is", "es")
"""What stands between a label and its cell."""

AXES = {"row": 0, "r": 0, "fila": 0, "column": 1, "col": 1, "c": 1, "columna": 1}
"""The axis of each name of a coordinate. x and y are not read, because people disagree which of them is the row."""

NOUNS = ("cell", "square", "tile", "field", "celda", "casilla")
"""What a move opens; "1 cell" counts."""

COUNTED = (*(f"{noun}s" for noun in NOUNS), "mines", "flags", "numbers", "neighbors", "neighbours", "%", "percent")
"""Words that say of the number before them that it counts."""

PLACES = (
    *("the", *NOUNS, "at", "in", "on", "of", "number"),
    *("safe", "safest", "covered", "hidden", "unopened", "unrevealed", "remaining", "next"),
    *("corner", "located", "with", "la", "en", "de"),
)
"""Words that may stand before the numbers of a cell; between two numbers, as in "1 of 3", they count."""

_CORNERS = [f"{end}{sep}{side}" for end in ("top", "bottom") for sep in "- " for side in ("left", "right")]
FILLERS = (
    *(*PLACES, "and", "position", "coordinate", "coordinates", "coord", "coords", "location", "target", "index"),
    *("boxed", "arguments", "args", "parameters", "parameter", "params", "action", "opening", "param", "verb"),
    *("input", "text", "name", "arg_key", "arg_value", "json", "message", "constrain", "tool_name"),
    *("textbf", "texttt", "mathbf", "quad", "a", "this", "that", "following", "just", "random", "center", "centre"),
    *("middle", "selected", "chosen", *(f"{corner} {noun}" for corner in _CORNERS for noun in ("corner", "cell"))),
)
"""Words that may stand around the numbers of a cell."""

CLAIMS = ("is", "must be", "definitely", "guaranteed", "certainly", "so", "thus", "hence", "therefore", "best", "guess")
"""Words that may also stand around a cell without a verb, as in "(3, 4) is safe"."""

LEADS = ("final", "best", "my", "so", "is", "to", "call", "function", "functions", "commentary", "result")
"""Words that may stand, beside labels and fillers, on the line of a call, a bracket or an object that is the answer."""

DENIALS = (
    *("if", "if i", "if we", "if you", "unless", "until", "before", "never", "mistake", "wrong", "unsafe", "risky"),
    *("dangerous", "bad idea", "refuse", "no need", "no reason", "instead of", "whereas", "alternative"),
    *("alternatively", "otherwise", "later", "rejected", "suppose", "assume", "assuming", "imagine", "say i", "when i"),
    *("when we", "when you", "in case", "might", "could", "neither", "nor", "afraid", "hesitate", "unable", "decline"),
    *("impossible", "too early", "tempting", "tempted", "urge", "was going", "was about", "had planned"),
    *("i doubt", "foolish", "no sense", "no point", "no circumstances", "next turn", "one option", "another option"),
)
"""Words that deny a move at most three words behind them, but not after one of `DEGREES`."""

SPANISH_DENIALS = (
    *("no", "nunca", "jamás", "tampoco", "ni", "sin", "evita", "evito", "evitar", "evitaría", "error", "si"),
    *("en lugar de", "en vez de", "antes de"),
)
"""Words that deny a Spanish move at most three words behind them."""

ASKS = (
    *("should i", "should we", "shall i", "shall we", "can i", "can we", "may i", "whether"),
    *("is it safe", "would it be", "do you want me", "would you like me", "¿"),
)
"""Words that ask for a move at most three words behind them, which is made if a yes follows."""

_FAULTS = ("a mine", "a mistake", "a bad", "unsafe", "too risky", "risky", "dangerous", "wrong", "suicide")
REFUTATIONS = (
    *(f"{verb} {fault}" for verb in ("is", "would be", "could be", "may be", "might be") for fault in _FAULTS),
    *("is not safe", "isn't safe", "would lose", "would risk", "would explode", "loses", "too risky", "rejected"),
    *("~~", "❌", "✗", "✘", "1-indexed", "1-based"),
)
"""Words directly behind a cell that deny its move, or count rows from 1."""

LAST_WORDS = ("mine", "later", "next turn", "afterwards")
"""Words behind a cell that deny its move if they end the line."""

DEGREES, SUBJECTS = ("less", "least"), ("i", "we")
NEGATIONS = ("not", "cannot", "than", "avoid", "wont", "dont", "cant", "shouldnt", "mustnt")
"""Words that deny as `DENIALS` do, but not where a subject begins a clause, as in "to avoid that risk I open"."""

ARTICLES = ("the", "a", "an", "every", "each", "any", "are", "were", "already", "currently", "cells")
"""Words before "open" or "flag" that make it describe a cell."""

CLAUSES = ("so", "but", "then", "and", "thus", "hence", "y", "pero", "entonces")
"""Words after which a denial does not count."""

OTHERS = (
    *("last", "previous", "prior", "earlier", "worst", "bad", "losing", "illegal", "second best", "backup"),
    *("fallback", "alternative", "example", "such as", "like", "opponent", "naive", "plan b", "previously", "1-based"),
)
"""Words before a label, a verb or one of `TURNS`, which tell of another move than the one to make."""

TURNS = ("turn", "move", "action", "click", "step", "choice", "reply", "indexing", "coordinates")
LATER = ("then", "next", "following", "after", "afterwards", "subsequently", "eventually", "lets us", "allows us")
"""Words of a later move, which counts only where a reply states no other one."""

RETRACTIONS = (
    *("wait, no", "wait no", "no, wait", "no wait", "actually, no", "actually no", "wait, actually", "wait, that"),
    *("no, that", "hold on", "oops", "scratch that", "on second thought", "on second thoughts", "let me reconsider"),
    *("i meant", "i mean", "correction", "strike that", "never mind", "ignore that", "take that back", "my mistake"),
)
"""Words that take back the last move before them."""

TAGS = ("move", "answer", "action", "tool_call", "final_answer", "final", "output", "choice", "solution")
"""The tags of a reply that hold its move, and the keys of an object that do."""

ACTS = ("action", "move", "verb", "type", "tool", "name", "function", "command", "operation", "op", "act")
"""The keys of an object that name its verb, alone or with a word before or behind them, such as action_type."""

REASONS = (
    *("reason", "reasons", "reasoning", "analysis", "thought", "thoughts", "thinking", "explanation", "rationale"),
    *("justification", "note", "notes", "comment", "comments", "alternative", "alternatives", "rejected"),
    *("considered", "confidence", "certainty", "description", "why", *OTHERS, "mine", "mines", "flags", "unsafe"),
)
"""The keys of an object whose contents are no part of its move, with words before or behind them, as for `ACTS`."""

_THOUGHT_TAGS = (
    *("think", "thinking", "thought", "thoughts", "scratchpad", "analysis", "reflection", "rationale", "reasoning"),
    *("reason", "plan", "planning", "cot", "chain_of_thought", "thought_process", "thinking_process", "deliberation"),
    *("monologue", "inner_monologue", "inner_thoughts", "internal", "seed:think", "longcat_think"),
)
THINKING = (
    *((f"<{tag}>", f"</{tag}>") for tag in _THOUGHT_TAGS),
    *(("[think]", "[/think]"), ("◁think▷", "◁/think▷"), ("<|begin_of_thought|>", "<|end_of_thought|>")),
    *(("<|think|>", "<|/think|>"), ("<|thinking|>", "<|/thinking|>"), ("<start_working_out>", "<end_working_out>")),
    *(("<|start_thinking|>", "<|end_thinking|>"), ("<|channel|>analysis", "<|channel|>final")),
    *(("<|channel|>analysis", "<|channel|>commentary"), ("<|channel>thought", "<channel|>")),
    *(("<|inner_prefix|>", "<|inner_suffix|>"), ("<unused94>", "<unused95>")),
)
"""The marks around thinking in the replies of several families of models, in any case."""

MARKED_FORMS = (
    *("<move>{verb} {row} {col}</move>", "<answer>{row} {col}</answer>", "<action>({row}, {col})</action>"),
    *('<move row="{row}" col="{col}"/>', "<final_answer>({row}, {col}) is safe</final_answer>"),
    *("[{verb} {row} {col}]", r"\boxed{{{row}, {col}}}", r"$\boxed{{\text{{{verb} }} ({row}, {col})}}$"),
    r"\boxed{{\text{{{verb}}}~{row}~{col}}}",
    *("{verb}({row}, {col})", "{verb}_cell({row}, {col})", "{verb}_cell(row={row}, col={col})"),
    '{{"name": "{verb}", "arguments": {{"row": {row}, "col": {col}}}}}',
    '{{"name": "{verb}_cell", "arguments": "{{\\"col\\": {col}, \\"row\\": {row}}}"}}',
    '{{"type": "{verb}", "row": {row}, "col": {col}}}',
    '{{"col": {col}, "action": "{verb}", "row": "{row}"}}',
    "{{'move': '{verb}', 'cell': [{row}, {col}]}}",
    '{{"reason": "(0, 0) is 1", "move": "{verb} {row} {col}"}}',
    *('{{"answer": [{row}, {col}]}}', '{{"move": {{"row": {row}, "col": {col}}}}}'),
    '<tool_call>{{"arguments": {{"row": {row}, "col": {col}}}, "name": "{verb}"}}</tool_call>',
    "<tool_call>{verb}<arg_key>row</arg_key><arg_value>{row}</arg_value><arg_key>col</arg_key><arg_value>{col}</arg_value></tool_call>",
)
"""Forms of a move that count before prose, in a tag, in a box, or on their own line; the prompt asks for the first."""

PROSE_FORMS = (
    *("{verb} {row} {col}", "{verb} ({row}, {col})", "{verb} cell ({row}, {col})", "**{verb} r{row}c{col}**"),
    *("**Final move**: ({row}, {col})", "The answer is ({row}, {col})", "{verb} 1 cell: ({row}, {col})"),
    *("{verb} row {row}, column {col}", "{verb} column {col}, row {row}", "{verb} row, col: {row}, {col}"),
    *("{verb} the cell in row {row} and column {col}", "{verb} ROW COL {row} {col}", "{verb} [{row}][{col}]"),
    *("{verb} {row} (row), {col} (column)", "{verb} ({col} col, {row} row)", "| {verb} | {row} | {col} |"),
    "<function={verb}><parameter=row>{row}</parameter><parameter=col>{col}</parameter></function>",
    '<invoke name="{verb}"><parameter name="row">{row}</parameter><parameter name="col">{col}</parameter></invoke>',
    'functions.{verb}:2{{"row": {row}, "col": {col}}}',
    'functions.{verb}:2<|tool_call_argument_begin|>{{"row": {row}, "col": {col}}}',
    '[TOOL_CALLS]{verb}[CALL_ID]a1b2[ARGS]{{"row": {row}, "col": {col}}}',
)
"""Forms of a move in prose; the last move in prose counts."""

PLACEHOLDER = "row col"
"""What the prompt writes in place of a cell, in lower case; a tag that repeats it holds no move."""
