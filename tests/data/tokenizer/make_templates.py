#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Renders small templates as transformers would (5.24, Jinja 3.1.6) into templates.jsonl: template,
variables, and rendered or error. Usage: make_templates.py (needs `pip install jinja2 transformers`)."""
import json
import os

from transformers.utils.chat_template_utils import _compile_jinja_template

VARIABLES = {
    "name": "Ann",
    "text": "  héllo wörld  ",
    "number": 7,
    "real": 2.5,
    "flag": True,
    "nothing": None,
    "items": [3, 1, 2],
    "words": ["pear", "Apple", "fig"],
    "rows": [{"k": "a", "v": 1, "on": True}, {"k": "b", "v": 2, "on": False}, {"k": "c", "v": 3}],
    "map": {"b": 1, "a": [1, 2.0, None, True, "x'y"], "items": "shadow"},
    "empty": [],
}
TEMPLATES = r"""
{{ name }}|{{ number }}|{{ real }}|{{ flag }}|{{ nothing }}|{{ missing }}|{{ items }}|{{ map }}
{{ 1 + 2 * 3 ** 2 }} {{ 7 // 2 }} {{ -7 // 2 }} {{ -7 % 3 }} {{ 7 / 2 }} {{ 2 ** -1 }} {{ 1.0 * 3 }}
{{ -2 ** 2 }} {{ 10 - 3 - 2 }} {{ 'a' * 3 }} {{ [1] * 2 }} {{ [1] + [2] }} {{ (1, 2) }} {{ (1,) }} {{ () }}
{{ 1e16 }} {{ 1e15 }} {{ 0.0001 }} {{ 0.00001 }} {{ 1.5e300 }} {{ 100000.0 }} {{ 0.1 + 0.2 }}
{{ 1 < 2 < 3 }} {{ 1 < 3 < 2 }} {{ 1 == 1.0 }} {{ True == 1 }} {{ 'a' in 'abc' }} {{ 4 not in items }} {{ 'b' in map }}
{{ not flag and missing }} {{ none or 'x' }} {{ '' or 0 }} {{ 'a' and 'b' }} {{ 'yes' if flag else 'no' }} {{ 'x' if not flag }}
{{ 'a' ~ 1 ~ none ~ [1] }} {{ "tab\tquote\"\u00e9\x41\101\q" }} {{ 'one' 'two' }} {{ 'it''s' }}
{{ items[0] }} {{ items[-1] }} {{ items[1:] }} {{ items[::-1] }} {{ items[5] }} {{ text[2:4] }} {{ name[::-1] }} {{ items[-2:] }} {{ name[10:] }}
{{ map.b }} {{ map['items'] }} {{ map.nope }} {{ map['nope'] is defined }} {{ rows[0].k }} {{ map.get('z') }} {{ map.get('z', 5) }}
{{ missing.x }}
{{ map.nope.x }}
{{ 'a' + 1 }}
{{ 1 < 'a' }}
{{ nothing() }}
{{ 1 / 0 }}
{{ items | nofilter }}
{% if false %}{{ items | nofilter }}{% endif %}ok
{{ items is notest }}
{% if false %}a{% elif number == 7 %}b{% else %}c{% endif %}
{% for x in items %}{{ loop.index }}/{{ loop.length }}:{{ x }}{{ ',' if not loop.last }}{% endfor %}
{% for x in items if x > 1 %}{{ loop.index0 }}{{ x }}{% else %}none{% endfor %}
{% for x in items if x > 9 %}{{ x }}{% else %}none{% endfor %}
{% for k, v in map.items() %}{{ k }}={{ v }};{% endfor %}{% for k in map %}{{ k }}{% endfor %}
{% for x in items %}{{ loop.previtem }}<{{ x }}>{{ loop.nextitem is defined }}{{ loop.first }}{{ loop.revindex }} {% endfor %}
{% for x in range(5) %}{% if x == 1 %}{% continue %}{% endif %}{% if x == 3 %}{% break %}{% endif %}{{ x }}{% endfor %}
{% for x in items %}{{ loop.cycle('a', 'b') }}{{ loop.changed(x > 1) }}{% endfor %}
{% for a in items %}{% for b in 'xy' %}{{ a }}{{ b }}{{ loop.depth }}{{ loop.index }} {% endfor %}{% endfor %}
{% set x = 1 %}{% for i in items %}{% set x = x + i %}{{ x }} {% endfor %}{{ x }}
{% set ns = namespace(n=0, l=[]) %}{% for i in items %}{% set ns.n = ns.n + i %}{% endfor %}{{ ns.n }} {{ ns.nope }} {{ ns['n'] }}
{% set a, b = 1, 2 %}{{ a }}{{ b }}{% set c = 1, 2 %}{{ c }}{% if true %}{% set a = 9 %}{% endif %}{{ a }}
{% set block %}  x {{ name }}{% endset %}[{{ block }}]{% set up | upper | trim %} abc {% endset %}[{{ up }}]
{% macro m(a, b=2, c='z') %}{{ a }}{{ b }}{{ c }}{% endmacro %}{{ m(1) }} {{ m(1, c=3) }} {{ m(b=5) }} {{ m(1)|upper }}
{% macro m(a) %}{{ a }}{% endmacro %}{{ m(1, 2) }}
{% macro m(a) %}{{ a }}{% endmacro %}{{ m(z=2) }}
{% macro f(n) %}{{ n }}{% if n > 0 %}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(4) }}
{% macro w(t) %}<{{ t }}>{{ caller() }}</{{ t }}>{% endmacro %}{% call w('b') %}in {{ name }}{% endcall %}
{% macro w() %}{{ caller(1, 2) }}{% endmacro %}{% call(a, b) w() %}{{ a }}-{{ b }}{% endcall %}
{% for i in items %}{% macro q() %}{{ i }}{% endmacro %}{{ q() }}{% endfor %}
{% macro g() %}{{ outer }}{% endmacro %}{% set outer = 'late' %}{{ g() }}
{% filter upper %}abc {{ name }}{% endfilter %}{% with z = 3, y = 4 %}{{ z + y }}{% endwith %}{{ z }}
{% raw %}{{ no }} {% if %}{% endraw %}|{# comment {{ x }} #}|{% generation %}gen{% endgeneration %}
  {% if true %}  
   a
  {% endif %}
b {%- if true -%}   c   {%- endif %}   d {{- ' e ' -}}   f {#- x -#} g
x  {%+ if true %}y{% endif +%}
z
{% for x in items -%}
  {{ x }}
{%- endfor %}

last
{{ text | trim }}|{{ text | upper }}|{{ 'heLLo wOrld-foo bar\'s' | title }}|{{ 'heLLo' | capitalize }}|{{ 'xxaxx' | trim('x') }}
{{ [1, 'a', none] | join('-') }} {{ rows | join(',', attribute='k') }} {{ items | length }} {{ 'héé' | length }} {{ map | count }}
{{ items | sort }} {{ words | sort }} {{ words | sort(reverse=true) }} {{ rows | sort(attribute='v', reverse=true) | map(attribute='k') | list }}
{{ items | first }} {{ items | last }} {{ empty | first }} {{ items | reverse | list }} {{ 'abc' | reverse }} {{ items | sum }} {{ items | max }} {{ words | min }}
{{ rows | selectattr('on') | map(attribute='k') | join }} {{ rows | selectattr('on', 'defined') | list | length }} {{ rows | rejectattr('v', 'gt', 1) | map(attribute='k') | list }}
{{ items | select('odd') | list }} {{ items | reject('equalto', 2) | list }} {{ items | map('string') | list }} {{ words | map('upper') | join(',') }}
{{ map | dictsort }} {{ map | items | list }} {{ [1, 1, 2, 'a', 'A'] | unique | list }} {{ rows | groupby('k') | list | length }}
{{ missing | default('d') }} {{ '' | default('d') }} {{ '' | default('d', true) }} {{ none | default('d') }} {{ missing | d }}
{{ map | tojson }} {{ rows | tojson(indent=2) }} {{ 'é"\n\u0001</' | tojson }} {{ 'é😀' | tojson(ensure_ascii=true) }} {{ {'b': 1, 'a': 2} | tojson(sort_keys=true, separators=(',', ':')) }}
{{ missing | tojson }}
{{ '3' | int }} {{ 'x' | int }} {{ 'x' | int(5) }} {{ 2.9 | int }} {{ '2.5' | float }} {{ 3 | float }} {{ true | int }} {{ -3 | abs }} {{ 2.567 | round(2) }} {{ 2.5 | round }}
{{ 'a b c' | replace(' ', '_') }} {{ 'a b c' | replace(' ', '_', 1) }} {{ 'x\ny' | indent }} {{ 'x\ny' | indent(2, true) }} {{ 'a b' | wordcount }} {{ '<a>' | e }}
{{ '%s is %d and %.2f%%' | format('x', 3, 1.5) }} {{ '%5d|%-5s|%05d' % (3, 'a', 7) }} {{ '{} {1} {n}'.format(1) if false }}{{ '{} {} {n:>4}'.format(1, 'b', n=2) }} {{ '{0:.2f} {0}'.format(1.5) }}
{{ 'abc'.upper() }} {{ ' a '.strip() }}| {{ 'xxaxx'.lstrip('x') }} {{ 'a,b,c'.split(',') }} {{ 'a  b'.split() }} {{ 'a,b,c'.split(',', 1) }} {{ 'a,b,c'.rsplit(',', 1) }} {{ 'a b'.title() }}
{{ 'abc'.startswith('a') }} {{ 'abc'.endswith(('x', 'c')) }} {{ 'abc'.find('c') }} {{ 'abc'.find('z') }} {{ 'aXbX'.replace('X', '-') }} {{ 'ab'.isalpha() }} {{ '12'.isdigit() }} {{ 'a\nb\r\n'.splitlines() }}
{{ '-'.join(words) }} {{ 'a=b=c'.partition('=') }} {{ 'abcabc'.count('b') }} {{ '7'.zfill(3) }} {{ 'Ab'.swapcase() }} {{ 'é'.upper() }} {{ 'ẞß'.lower() }} {{ 'straße'.upper() }}
{{ map.keys() | list }} {{ map.values() | list }} {{ dict(a=1, b=2) }} {{ {'x': {'y': [1]}}['x']['y'][0] }} {{ {1: 2}[1] }} {{ {'a': 1}.a }}
{{ name is defined }} {{ missing is undefined }} {{ nothing is none }} {{ flag is boolean }} {{ number is number }} {{ flag is number }} {{ number is integer }} {{ real is float }} {{ name is string }}
{{ map is mapping }} {{ items is sequence }} {{ name is sequence }} {{ items is iterable }} {{ map is iterable }} {{ number is iterable }} {{ missing is iterable }} {{ number is odd }} {{ number is divisibleby 7 }} {{ 3 is in items }} {{ number is eq 7 }}
{{ flag is true }} {{ 1 is true }} {{ flag is not false }} {{ name is sameas name }} {{ 'a' is lower }} {{ 'upper' is filter }} {{ number is gt(3) and number is lt 9 }} {{ range is callable }}
{{ range(3) | list }} {{ range(1, 4) | list }} {{ range(5, 0, -2) | list }} {{ range(3) | length }}
{{ raise_exception('refused: ' ~ name) }}
{{ "a\"b'c" | list | length }} {{ ["it's", 'q"', "b'\"", '\n\t\\\u00a0'] }} {{ [true, false, none, 1.0] }}
{{ '\u3000 x \u001c'.strip() }}|{{ '\u00a0x\u0085' | trim }}|
{{ name[0] }} {{ name.0 }} {{ rows.0.k }} {{ items.1 }} {{ name.nope is defined }}
{{ [[1, 2], [3]] | map('length') | list }} {{ ['b', 'a'] | map('upper') | sort | first }} {{ 'abc' | list }} {{ [0, 1, ''] | select | list }} {{ items | batch(2) | list }}
{% if missing %}a{% endif %}{% for x in missing %}b{% endfor %}{{ missing | length }}{{ missing == other }}{{ 'x' in missing }}
{% for x in 5 %}{% endfor %}
{% for a, b in [[1, 2, 3]] %}{% endfor %}
{% set name.x = 1 %}
{{ name.__class__ }}{{ name | attr('upper') is callable }}
{% if name %}
{{ (1, 2
{{ 'open }}
{% endif %}
{% bogus %}
{{ 1 +
{# no end
{% break %}
{{ a b }}
{{ ]
{{ 'x' if }}
{{- 'start' }}   {{ 'end' -}}
{{ not not flag }} {{ not 1 == 2 }} {{ -1 | abs }} {{ - items | length }} {{ 'a' ~ 'b' * 2 }} {{ 2 * 'ab' | length }}
{{ [1, 2] == [1, 2] }} {{ (1,) == [1] }} {{ {'a': 1} == {'a': 1.0} }} {{ [1, 2] < [1, 3] }} {{ 'a' < 'b' }} {{ none == false }} {{ 'Z' < 'a' }}
{{ '\\' }} {{ '\'' }} {{ "line\
joined" }}
{{ 12345678901 * 1000 }} {{ 0xff }} {{ 0b101 }} {{ 0o17 }} {{ 1_000 }} {{ '%x' % 255 }} {{ '%r' % 'a' }} {{ '%s' % ('a',) }} {{ '%s %s' % (1, [2]) }}
{{ 'a%' % () }}
{{ '%d' % 'x' }}
{{ 'Hello World' | truncate(8) }} {{ 'Hello World foo' | truncate(8, true) }} {{ 'a b&c/d' | urlencode }}
""".strip("\n").split("\n")
# Templates of several lines.
JOINED = [
    "  {% if true %}  \n   a\n  {% endif %}\nb\n",
    "x\n  {%+ if true %}y{% endif +%}\nz\n",
    "{% for x in items -%}\n  {{ x }}\n{%- endfor %}\n\nlast\n\n",
    "a\r\n{% if true %}\r\nb\r\n{% endif %}\r\nc",
    "{# note #}\n  {# note #}\nx {# note #}\ny\n",
    "  {{ name }}\n  {%- set x = 1 %}\n  {{ x }}\n",
    "{% raw %}\n {% x %}\n{% endraw %}\nend",
    "a  {%- raw -%}  b  {%- endraw -%}  c",
    "{% macro m() %}\n  line\n{% endmacro %}\n[{{ m() }}]",
    "{{ {'a': {'b': {}}} }}{{ '}}' }}{{ '%}' }}",
    "{%- for m in rows %}\n    {{- m.k }}\n{%- endfor %}",
    "\n\n{% set x = 1 %}\n\n{{ x }}\n\n",
]


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "templates.jsonl"), "w", encoding="utf-8") as file:
        for template in TEMPLATES + JOINED:
            line = {"template": template}
            try:
                line["rendered"] = _compile_jinja_template(template).render(**VARIABLES)
            except Exception as problem:  # any failure of the reference is the expectation
                line["error"] = f"{type(problem).__name__}: {problem}"
            file.write(json.dumps(line) + "\n")
    with open(os.path.join(here, "template_variables.json"), "w", encoding="utf-8") as file:
        json.dump(VARIABLES, file, indent=1)


if __name__ == "__main__":
    main()
