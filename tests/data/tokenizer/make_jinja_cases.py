#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The language of Jinja beyond what the published templates use, one feature a line, and random
expressions over random values: template, variables, and rendered or error as transformers' own
environment (5.24, Jinja 3.1.6) gives them, into jinja_cases.jsonl.
Usage: make_jinja_cases.py [RANDOM [SEED [OUTPUT]]] (needs `pip install jinja2 transformers`)."""
import json
import os
import random
import re
import sys

from transformers.utils.chat_template_utils import _compile_jinja_template

VARIABLES = {
    "name": "Ann", "text": "  héllo wörld  ", "n": 7, "z": 0, "f": 2.5, "yes": True, "no": False,
    "none_": None, "list": [3, 1, 2], "words": ["pear", "Apple", "fig", "apple"],
    "rows": [{"k": "a", "v": 1, "on": True}, {"k": "b", "v": 2, "on": False}, {"k": "A", "v": 3}],
    "map": {"b": 1, "a": [1, 2.0, None, True, "x'y"], "items": "shadow"},
    "tree": [{"t": "r", "c": [{"t": "s", "c": [{"t": "u", "c": []}]}, {"t": "w", "c": []}]}],
    "empty": [], "html": "<a href=\"x\">it's & b</a>", "long": "The quick brown fox jumps over it",
}
LINES = r"""
{% for i in tree recursive %}[{{ loop.depth }}{{ loop.depth0 }}{{ i.t }}{{ loop(i.c) }}]{% endfor %}
{% for i in tree recursive %}{{ i.t }}{% if i.c %}({{ loop(i.c) }}){% endif %}{{ ',' if not loop.last }}{% else %}none{% endfor %}
{% for i in tree recursive if i.t != 's' %}{{ i.t }}{{ loop(i.c) }}{% endfor %}
{% for i in list %}{{ loop(i) }}{% endfor %}
{% for i in list %}{{ loop.depth }}{{ loop.nothing is defined }}{% endfor %}
{% for i in list %}{% for j in list %}{{ loop.index }}{% endfor %}{{ loop.index }}{% endfor %}
{% for i in list %}{{ loop.cycle('a', 'b', 'c') }}{{ loop.changed(i // 2) }}{{ loop.revindex0 }}{% endfor %}
{% for i in list if i > 1 %}{{ loop.length }}{{ loop.last }}{{ loop.previtem }}{{ loop.nextitem }};{% endfor %}
{% for i in [] %}x{% else %}e{% endfor %}{% for i in list %}{% break %}{% else %}e{% endfor %}
{% for i in list %}{% if i == 1 %}{% continue %}{% endif %}{{ i }}{% else %}e{% endfor %}
{% for a, (b, c) in [(1, (2, 3)), (4, [5, 6])] %}{{ a }}{{ b }}{{ c }}{% endfor %}
{% for (a, b) in [(1, 2)] %}{{ a }}{{ b }}{% endfor %}{% for a, in [(1,)] %}{{ a }}{% endfor %}
{% set (a, b) = (1, 2) %}{{ a }}{{ b }}{% set a, (b, c) = 1, (2, 3) %}{{ a }}{{ b }}{{ c }}
{% set ns = namespace(a=1) %}{% set ns.a, x = 5, 6 %}{{ ns.a }}{{ x }}{{ ns.b is defined }}
{% set ns = namespace({'a': 1}, b=2) %}{{ ns.a }}{{ ns.b }}{% set ns.c = ns %}{{ ns.c.a }}
{% set a = b = 1 %}
{% set x %}{% for i in list %}{{ i }}{% endfor %}{% endset %}{{ x }}{{ x | length }}
{% set x | upper | replace('A', 'b') %}banana{% endset %}{{ x }}
{% set ns = namespace() %}{% set ns.t %}abc{% endset %}{{ ns.t }}
{% macro m(a, b=a) %}{{ a }}{{ b }}{% endmacro %}{{ m(1) }}{{ m(1, 2) }}{{ m(b=3, a=2) }}
{% macro m(a) %}{{ a }}{{ varargs }}{{ kwargs }}{% endmacro %}{{ m(1, 2, 3, x=4) }}
{% macro m() %}{{ varargs | length }}{{ kwargs.x }}{% endmacro %}{{ m(1, x='y') }}
{% macro m(a, b) %}{{ a }}{{ b is defined }}{% endmacro %}{{ m() }}{{ m(1) }}
{% macro m(a, b=1) %}{% endmacro %}{{ m.name }}{{ m.arguments }}{{ m.catch_varargs }}{{ m.catch_kwargs }}{{ m.caller }}
{% macro m(a) %}{{ caller(a) if caller else 'none' }}{% endmacro %}{{ m(1) }}{% call(x) m(2) %}<{{ x }}>{% endcall %}
{% macro m(a) %}x{% endmacro %}{% call m(1) %}y{% endcall %}
{% macro a() %}{{ b() }}{% endmacro %}{% macro b() %}B{% endmacro %}{{ a() }}
{% macro m(*a) %}{% endmacro %}
{{ m() }}{% macro m() %}x{% endmacro %}
{% macro m(x) %}{{ x }}{% set y = 2 %}{% endmacro %}{{ m(1) }}{{ y is defined }}
{% for i in list %}{% macro m() %}{{ loop is defined }}{{ i }}{% endmacro %}{{ m() }}{% endfor %}
{% macro m(x) %}{% for i in x recursive %}{{ i.t }}{{ loop(i.c) }}{% endfor %}{% endmacro %}{{ m(tree) }}
{% macro m(x, y) %}{{ x }}-{{ y }}{% endmacro %}{{ m(*[1, 2]) }}{{ m(**{'x': 1, 'y': 2}) }}{{ m(1, *[2]) }}{{ m(1, **{'y': 3}) }}
{{ range(*[1, 4]) | list }}{{ dict(**{'a': 1}) }}{{ dict([('a', 1)], b=2) }}{{ '{} {}'.format(*words) }}
{% macro f() %}{{ caller(1, b=2) }}{% endmacro %}{% call(a, b=9, c=8) f() %}{{ a }}{{ b }}{{ c }}{% endcall %}
{% filter upper | trim %}  a{{ name }} {% endfilter %}{% filter replace('a', 'b') %}aaa{% endfilter %}
{% with %}{% set x = 1 %}{{ x }}{% endwith %}{{ x is defined }}{% with a = 1, b = 2 %}{{ a + b }}{% endwith %}
{% with a = 1, b = a %}{{ b }}{% endwith %}{% set a = 5 %}{% with a = 1, b = a %}{{ b }}{% endwith %}
{% with (a, b) = (1, 2) %}{{ a }}{{ b }}{% endwith %}
{% block x %}B{{ name }}{% endblock %}{% block y scoped %}C{% endblock y %}
{% for i in list %}{% block q scoped %}{{ i }}{% endblock %}{% endfor %}
{% autoescape false %}{{ html }}{% endautoescape %}
{% do list.append(1) %}
{% include 'x' %}
{% import 'x' as y %}
{% extends 'x' %}
{% from 'x' import y %}
{% if yes %}{% include 'x' ignore missing %}ok{% endif %}
{% raw %}{{ x }}{% endraw %}{%- raw -%} {% y %} {%- endraw -%} z
{% generation %}{% set q = 1 %}{{ q }}{% endgeneration %}{{ q is defined }}
{% if no %}a{% elif none_ %}b{% elif yes %}c{% else %}d{% endif %}{% if not yes %}{% else %}e{% endif %}
{{ 'a' if yes }}{{ 'a' if no }}|{{ ('a' if no) is defined }}{{ 'a' if no else 'b' if no else 'c' }}
{{ ('a' if no).x }}
{{ 1 if yes else missing.x }}{{ [1 if no else 2, 3] }}{{ {'a': 1 if yes else 2} }}
{{ 2 ** 3 ** 2 }} {{ -2 ** 2 }} {{ 2 ** -1 }} {{ 7 // -2 }} {{ -7 % 3 }} {{ 7.5 // 2 }} {{ -7.5 % 2 }} {{ 7 % -3.0 }} {{ 0.0 }} {{ -0.0 }}
{{ 1 + 2 ~ 3 + 4 }} {{ 'a' ~ 1 + 2 }} {{ 'a' ~ 2 * 3 }} {{ 1 ~ 2 == '12' }} {{ not 1 == 2 }} {{ not yes and no }} {{ -n ** 2 }} {{ - n | abs }} {{ (-n) | abs }}
{{ 1 < 2 == true }} {{ 1 < 2 < 3 > 2 != 5 }} {{ 1 in [1] == true }} {{ 'a' not in 'abc' }} {{ not 'a' in 'b' }} {{ 1 == 1.0 == true }}
{{ yes and 0 or 'x' }} {{ no or none_ }} {{ 1 and 2 and 3 }} {{ 0 or '' or [] }} {{ yes or missing.x }} {{ (no and missing.x) }}
{{ n is odd }} {{ n is not odd }} {{ n is divisibleby(7) }} {{ n is divisibleby 3 }} {{ not n is odd }} {{ n is odd and z is even }} {{ n is eq 7 }} {{ n is ne(7) }}
{{ n is lt 8 }} {{ n is le 7 }} {{ n is gt 7 }} {{ n is ge 7 }} {{ n is greaterthan 6 }} {{ n is lessthan 6 }} {{ n is equalto 7 }} {{ n is sameas 7 }} {{ n is in [7] }} {{ 'a' is in 'abc' }} {{ n is not in [7] }}
{{ yes is true }} {{ yes is false }} {{ 1 is true }} {{ no is false }} {{ 0 is false }} {{ yes is boolean }} {{ 1 is boolean }} {{ yes is integer }} {{ 1 is integer }} {{ 1.0 is float }} {{ 1 is number }} {{ yes is number }} {{ '1' is number }}
{{ 'ab' is lower }} {{ 'Ab' is lower }} {{ 'AB' is upper }} {{ '1' is upper }} {{ '' is lower }} {{ 'a1' is lower }}
{{ missing is defined }} {{ missing is undefined }} {{ none_ is defined }} {{ none_ is none }} {{ missing is none }} {{ map.zz is undefined }} {{ map is mapping }} {{ list is mapping }} {{ 'x' is sequence }} {{ map is sequence }} {{ n is sequence }} {{ range(2) is sequence }} {{ n is iterable }} {{ 'x' is iterable }} {{ range is callable }} {{ name.upper is callable }} {{ name is callable }}
{{ 'upper' is filter }} {{ 'nope' is filter }} {{ 'odd' is test }} {{ 'nope' is test }} {{ html | escape is escaped }} {{ html is escaped }} {{ 'tojson' is filter }}
{{ n is nope }}
{{ n | nope }}
{% if no %}{{ n is nope }}{{ n | nope }}{% endif %}ok
{{ list | map('nope') | list }}
{{ list | select('nope') | list }}
{{ html | e }} {{ html | escape | e }} {{ html | forceescape }} {{ (html | e) ~ '<' }} {{ (html | e) + '<' }} {{ '<' + (html | safe) }} {{ ('<' | safe) * 2 + '>' }}
{{ ('<%s>' | safe) % '<' }} {{ ('<{}>' | safe).format('<') }} {{ ('<' | safe).join(['<', 'a']) }} {{ ('a<' | safe) | upper + '<' }} {{ ('<' | safe) == '<' }} {{ ('<' | safe) in ['<'] }} {{ ('<' | safe) | string + '<' }} {{ ('<' | safe) | tojson }}
{{ ['<', '<' | safe] | join('>') }} {{ [('<' | safe)] }} {{ ('a<b' | safe).split('<') }} {{ ('a<b' | safe)[1] + '<' }} {{ ('<' | safe) | replace('<', '>') }} {{ ('<' | safe).replace('<', '>') }} {{ (('<' | safe) | length) }}
{{ -3 | abs }} {{ (-3) | abs }} {{ 2.5 | abs }} {{ 'x' | abs }}
{{ name | attr('upper') }}
{{ map | attr('b') is defined }} {{ name | attr('nope') is defined }} {{ (name | attr('lower'))() }}
{{ list | batch(2) | list }} {{ list | batch(2, 'x') | list }} {{ range(7) | batch(3, 0) | list }} {{ list | slice(2) | list }} {{ range(7) | slice(3) | list }} {{ range(7) | slice(3, 'x') | list }} {{ range(8) | slice(5) | map('length') | list }}
{{ 'abc' | capitalize }} {{ 'ABC dEF' | capitalize }} {{ 'abc' | center(9) }}| {{ 'abc' | center(8) }}| {{ 'abcd' | center(7) }}| {{ 'x' | center }}|
{{ missing | default('d') }} {{ '' | default('d') }} {{ '' | default('d', true) }} {{ '' | default('d', boolean=true) }} {{ missing | d }} {{ missing | default(default_value=3) }} {{ none_ | default(1, true) }} {{ map.zz | default('q') }}
{{ map | dictsort }} {{ {'b': 1, 'A': 2, 'c': 0} | dictsort }} {{ {'b': 1, 'A': 2, 'c': 0} | dictsort(true) }} {{ {'b': 1, 'A': 2, 'c': 0} | dictsort(false, 'value') }} {{ {'b': 1, 'A': 2} | dictsort(reverse=true) }} {{ {'b': 1} | dictsort(by='x') }}
{{ 10 | filesizeformat }} {{ 1000 | filesizeformat }} {{ 1 | filesizeformat }} {{ 123456789 | filesizeformat }} {{ 123456789 | filesizeformat(true) }} {{ 1e15 | filesizeformat }} {{ '2000' | filesizeformat }}
{{ list | first }} {{ empty | first is defined }} {{ 'abc' | first }} {{ map | first }} {{ list | last }} {{ empty | last }} {{ 'abc' | last }} {{ map | last }}
{{ '1.5' | float }} {{ 'x' | float }} {{ 'x' | float(2) }} {{ none_ | float }} {{ yes | float }} {{ '1e3' | float }} {{ ' 2 ' | float }} {{ 'inf' | float }} {{ '1_0' | float }}
{{ '%s %s' | format('a', 1) }} {{ '%(a)s' | format(a=1) }} {{ '%d%%' | format(5) }} {{ '%5.1f|%-6s|%+d|%x|%o|%e|%g' | format(2.25, 'ab', 3, 255, 8, 12345.678, 0.00001) }} {{ '%c%r' | format('z', 'q') }} {{ '%(x)d-%(y)s' % {'x': 1, 'y': 2} }} {{ '%#x %05d % d' % (255, 42, 7) }} {{ '%*d' % (5, 42) }} {{ '%.3s|' % 'abcdef' }} {{ '%i %u' % (1, 2) }} {{ '%s' % none_ }} {{ '%s' % (list,) }} {{ '%G %E' % (1e-10, 2.0) }} {{ '%a' % 'é' }}
{{ '%d' % '1' }}
{{ '%d' | format }}
{{ '%s' % (1, 2) }}
{{ '%s %s' % 1 }}
{{ '%q' % 1 }}
{% for k, g in rows | groupby('k') %}{{ k }}:{{ g | map(attribute='v') | list }};{% endfor %}
{% for g in rows | groupby('on', default=false) %}{{ g.grouper }}{{ g.list | length }}{{ g[0] }};{% endfor %}{{ rows | groupby('k', case_sensitive=true) | map('first') | list }}
{{ 'a\nb\n\nc' | indent }} {{ 'a\nb\n\nc' | indent(2, true, true) }} {{ 'a\nb' | indent('>> ') }} {{ 'a\nb' | indent(width=1, first=true) }} {{ 'a\n' | indent(2) }}| {{ '' | indent(2, true) }}|
{{ '3' | int }} {{ '0x1A' | int(0, 16) }} {{ '0b11' | int(base=2) }} {{ '0o17' | int(0, 8) }} {{ 'z' | int(base=36) }} {{ '3.7' | int }} {{ 3.7 | int }} {{ '-3' | int }} {{ 'x' | int(5) }} {{ 'x' | int(default=6) }} {{ none_ | int }} {{ yes | int }} {{ '1_000' | int }} {{ ' 5 ' | int }} {{ '1e2' | int }} {{ [] | int(-1) }} {{ '' | int }}
{{ {'a': 1} | items | list }} {{ missing | items | list }} {{ map | items | first }}
{{ list | items }}
{{ list | join }} {{ list | join(', ') }} {{ rows | join('|', 'k') }} {{ rows | join('|', attribute='v') }} {{ 'abc' | join('-') }} {{ map | join(',') }} {{ [none_, yes, 1.0] | join(' ') }} {{ list | join(d='/') }}
{{ list | length }} {{ map | length }} {{ 'héllo' | length }} {{ list | count }} {{ missing | length }}
{{ n | length }}
{{ 'abc' | list }} {{ map | list }} {{ missing | list }} {{ (1, 2) | list }} {{ range(3) | list }} {{ map.items() | list }}
{{ n | list }}
{{ 'ABC' | lower }} {{ 5 | lower }} {{ none_ | upper }} {{ 'ÀÉ' | lower }} {{ 'straße' | upper }}
{{ rows | map(attribute='k') | list }} {{ rows | map(attribute='on', default='?') | list }} {{ words | map('upper') | list }} {{ words | map('replace', 'p', 'P') | list }} {{ [[1, 2]] | map(attribute=1) | list }} {{ rows | map('attr', 'k') | map('default', 'd') | list }} {{ [{'a': {'b': 5}}] | map(attribute='a.b') | list }} {{ missing | map('upper') | list }} {{ words | map('default') | list }}
{{ words | map | list }}
{{ words | map(foo=1) | list }}
{{ list | max }} {{ list | min }} {{ words | max }} {{ words | min(case_sensitive=true) }} {{ rows | max(attribute='v') }} {{ empty | max is defined }} {{ rows | min(attribute='k') }}
{{ map | pprint }} {{ 'x' | pprint }} {{ [1, 'a'] | pprint }}
{{ list | reject('odd') | list }} {{ [0, 1, ''] | reject | list }} {{ rows | rejectattr('on') | map(attribute='k') | list }} {{ rows | rejectattr('v', 'gt', 1) | list | length }} {{ rows | selectattr('on', 'defined') | list | length }} {{ rows | selectattr('k', 'equalto', 'a') | list }} {{ rows | selectattr('k', 'in', ['a', 'b']) | map(attribute='k') | list }} {{ list | select('>', 1) | list }} {{ list | select('ne', 1) | list }} {{ words | select('string') | list }} {{ rows | selectattr('on', 'sameas', true) | list | length }}
{{ 'aaa' | replace('a', 'b') }} {{ 'aaa' | replace('a', 'b', 2) }} {{ 'aaa' | replace(old='a', new='c', count=1) }} {{ 'abc' | replace('', '-') }} {{ 123 | replace('2', 'x') }} {{ 'aaa' | replace('a', 'b', 0) }} {{ 'aaa' | replace('a', 'b', -1) }} {{ 'aaa' | replace('a', 'b', none) }}
{{ 'abc' | reverse }} {{ list | reverse | list }} {{ (1, 2) | reverse | list }} {{ map | reverse | list }}
{{ n | reverse }}
{{ 42.55 | round }} {{ 42.55 | round(1, 'floor') }} {{ 42.55 | round(1, 'ceil') }} {{ 42.5 | round }} {{ 43.5 | round }} {{ 7 | round }} {{ 7 | round(2) }} {{ 1234 | round(-2) }} {{ 2.675 | round(2) }} {{ 1.005 | round(2) }} {{ 7 | round(0, 'floor') }} {{ -2.5 | round }} {{ 1e300 | round(2) }}
{{ 1.5 | round(1, 'other') }}
{{ list | sort }} {{ list | sort(reverse=true) }} {{ list | sort(true) }} {{ words | sort }} {{ words | sort(case_sensitive=true) }} {{ rows | sort(attribute='v', reverse=true) | map(attribute='v') | list }} {{ rows | sort(attribute='k,v') | map(attribute='v') | list }} {{ map | sort }} {{ 'cab' | sort }} {{ [[2, 1], [1, 2]] | sort(attribute='1') }}
{{ [1, 'a'] | sort }}
{{ rows | sort(attribute='on') }}
{{ 5 | string }} {{ none_ | string }} {{ [1] | string | length }} {{ 1.0 | string }} {{ missing | string }}| {{ map | string }}
{{ html | striptags }} {{ '<!-- c -->a  <b>b</b>\n c' | striptags }} {{ '&lt;a&gt; &amp; &eacute;' | striptags }}
{{ list | sum }} {{ rows | sum(attribute='v') }} {{ list | sum(start=10) }} {{ [1.5, 2] | sum }} {{ empty | sum }} {{ [[1], [2]] | sum(start=[]) }}
{{ words | sum }}
{{ 'hello world-foo bar_baz (x) [y] {z} <w>' | title }} {{ "it's" | title }} {{ 'HELLO' | title }}
{{ map | tojson }} {{ map | tojson(indent=2) }} {{ map | tojson(2) }} {{ map | tojson(indent=none) }} {{ {'b': 1, 'a': [1, {}]} | tojson(sort_keys=true, indent=1) }} {{ [1, [2, []], {}] | tojson(indent=4) }} {{ 'é<>&\'"\\/\u2028\x7f' | tojson }} {{ 'é😀\x7f' | tojson(ensure_ascii=true) }} {{ [1.0, 1e16, 1e-7, 0.1, 100, true, none] | tojson }} {{ {1: 2, none: 3, true: 4, 1.5: 5} | tojson }} {{ (1, 2) | tojson }} {{ {'a': 1} | tojson(separators=(',', ':')) }} {{ [1, 2] | tojson(separators=(' ;', '='), indent=1) }} {{ {'a': 1, 'b': 2} | tojson(indent='--') }} {{ [] | tojson(indent=2) }} {{ [1] | tojson(indent=0) }}
{{ missing | tojson }}
{{ range(3) | tojson }}
{{ map | tojson(nope=1) }}
{{ '  a b ' | trim }}| {{ 'xxaxx' | trim('x') }} {{ '.,a,.' | trim('.,') }} {{ '  a ' | trim(chars=' ') }}| {{ 5 | trim }}
{{ long | truncate(10) }} {{ long | truncate(10, true) }} {{ long | truncate(10, false, '…') }} {{ long | truncate(30) }} {{ long | truncate(31, leeway=0) }} {{ long | truncate(12, true, '', 0) }} {{ 'abc' | truncate(3) }} {{ 'abcdefghij' | truncate(5, leeway=0) }}
{{ long | truncate(2) }}
{{ words | unique | list }} {{ words | unique(true) | list }} {{ rows | unique(attribute='k') | map(attribute='v') | list }} {{ [1, 1.0, true] | unique | list }} {{ 'abca' | unique | list }}
{{ 'a b&c/ü?' | urlencode }} {{ {'a b': 1, 'c': 'd&e'} | urlencode }} {{ [('k', 'v v')] | urlencode }} {{ 5 | urlencode }}
{{ 'a b  c-d e_f' | wordcount }} {{ '' | wordcount }} {{ 'héé wö' | wordcount }}
{{ long | wordwrap(12) }} {{ long | wordwrap(5) }} {{ long | wordwrap(5, false) }} {{ 'a\nbb ccc' | wordwrap(4) }} {{ long | wordwrap(12, wrapstring=' / ') }} {{ 'aaa-bbb-ccc' | wordwrap(5) }} {{ 'aaa-bbb-ccc' | wordwrap(5, break_on_hyphens=false) }} {{ 'abcdefghijk' | wordwrap(4) }}
{{ {'class': 'x', 'id': none, 'n': 5, 'q': '"<'} | xmlattr }} {{ {} | xmlattr }}| {{ {'a': missing, 'b': 1} | xmlattr(false) }}
{{ name.upper() }} {{ name.lower() }} {{ 'aB'.swapcase() }} {{ 'hello world'.title() }} {{ "it's a x1y".title() }} {{ 'hELLO'.capitalize() }} {{ 'ß'.casefold() }}
{{ ' a '.strip() }}| {{ ' a '.lstrip() }}| {{ ' a '.rstrip() }}| {{ 'xax'.strip('x') }} {{ 'abcxcba'.lstrip('ab') }} {{ 'a.'.rstrip('.') }} {{ ' a'.strip(none) }}
{{ 'a,b,,c'.split(',') }} {{ 'a,b,c'.split(',', 1) }} {{ ' a  b '.split() }} {{ ' a  b c'.split(none, 1) }} {{ 'a b'.split(maxsplit=1) }} {{ 'a,b,c'.rsplit(',', 1) }} {{ 'a b c'.rsplit(none, 1) }} {{ 'a\nb\r\nc\n'.splitlines() }} {{ 'a\nb'.splitlines(true) }} {{ ''.split(',') }} {{ ''.split() }} {{ 'abc'.split('') }}
{{ 'a=b=c'.partition('=') }} {{ 'a=b=c'.rpartition('=') }} {{ 'abc'.partition('x') }} {{ 'abc'.rpartition('x') }}
{{ 'abc'.startswith('a') }} {{ 'abc'.startswith(('x', 'a')) }} {{ 'abc'.startswith('b', 1) }} {{ 'abc'.endswith('c') }} {{ 'abc'.endswith('b', 0, 2) }} {{ 'abc'.startswith('') }}
{{ 'abcabc'.find('c') }} {{ 'abcabc'.find('c', 3) }} {{ 'abcabc'.find('c', 0, 2) }} {{ 'abcabc'.rfind('c') }} {{ 'abcabc'.index('b') }} {{ 'abcabc'.rindex('b') }} {{ 'abcabc'.count('bc') }} {{ 'aaaa'.count('aa') }} {{ 'abc'.count('') }} {{ 'abcabc'.count('a', 1) }} {{ 'héé'.find('é') }} {{ 'héé'.rfind('é') }} {{ 'abc'.find('') }}
{{ 'abc'.index('z') }}
{{ 'aXbX'.replace('X', '-') }} {{ 'aXbX'.replace('X', '-', 1) }} {{ 'ab'.replace('', '.') }} {{ 'ab'.removeprefix('a') }} {{ 'ab'.removesuffix('b') }} {{ 'ab'.removeprefix('x') }}
{{ 'ab1'.isalnum() }} {{ 'ab'.isalpha() }} {{ '12'.isdigit() }} {{ '12'.isdecimal() }} {{ '½'.isnumeric() }} {{ '²'.isdigit() }} {{ 'ab'.islower() }} {{ 'AB'.isupper() }} {{ ' '.isspace() }} {{ 'Ab Cd'.istitle() }} {{ 'ab'.isascii() }} {{ 'a_1'.isidentifier() }} {{ 'a\n'.isprintable() }} {{ ''.isalpha() }}
{{ 'ab'.center(6) }}| {{ 'ab'.center(7, '*') }} {{ 'ab'.ljust(4) }}| {{ 'ab'.rjust(4, '.') }} {{ '7'.zfill(3) }} {{ '-7'.zfill(4) }} {{ 'a\tb'.expandtabs() }}| {{ 'a\tb'.expandtabs(4) }}|
{{ '-'.join(words) }} {{ ''.join([]) }} {{ ','.join('abc') }} {{ ', '.join(map.keys()) }}
{{ '-'.join([1]) }}
{{ '{} {}'.format(1, 'a') }} {{ '{1}{0}'.format('a', 'b') }} {{ '{x}'.format(x=1) }} {{ '{0[k]}'.format(rows[0]) }} {{ '{:>5}|{:<5}|{:^5}|'.format('a', 'b', 'c') }} {{ '{:*^7}'.format('x') }} {{ '{:05d} {:+d} {:x} {:X} {:#x} {:o} {:b} {:,}'.format(42, 7, 255, 255, 255, 8, 5, 1234567) }} {{ '{:.2f} {:8.3f} {:e} {:g} {:%} {:.1%}'.format(1.005, 3.14159, 1234.5, 0.0001, 0.25, 0.125) }} {{ '{{}} {!r} {!s:>4}'.format('a', 'b') }} {{ '{}'.format(none_) }} {{ '{}'.format(list) }} {{ '{:_}'.format(1234567) }} {{ '{:c}'.format(65) }} {{ '{:>{w}}|'.format('a', w=4) }} {{ '{:<4}|{:<4}|'.format(1, true) }} {{ '{:.3}'.format('abcdef') }} {{ '{:.3}'.format(3.14159) }} {{ '{:d}'.format(true) }} {{ '{!a}'.format('é') }}
{{ '{'.format() }}
{{ '{}'.format() }}
{{ '{:d}'.format('a') }}
{{ list.index(1) }} {{ list.count(3) }} {{ [1, 2].copy() }} {{ (1, 2, 1).count(1) }} {{ (1, 2).index(2) }}
{{ list.index(9) }}
{{ map.get('b') }} {{ map.get('q') }} {{ map.get('q', 5) }} {{ map.keys() | list }} {{ map.values() | list }} {{ map.items() | list }} {{ map['items'] }} {{ map.items is callable }} {{ {'a': 1}.copy() }} {{ map.keys() }} {{ map.values() | length }} {{ {'a': 1}.items() }} {{ 'b' in map.keys() }}
{{ list[0] }} {{ list[-1] }} {{ list[5] is defined }} {{ list[1:] }} {{ list[:-1] }} {{ list[::2] }} {{ list[::-1] }} {{ list[5:] }} {{ list[-5:2] }} {{ list[2:0:-1] }} {{ name[0] }} {{ name[-1] }} {{ name[1:] }} {{ name[9] is defined }} {{ (1, 2, 3)[1:] }} {{ text[3] }} {{ list[:] }} {{ list[true] }} {{ map['a'][4][0] }} {{ range(5)[1:3] }} {{ range(5)[2] }} {{ range(5) }}
{{ list['0'] is defined }} {{ name['upper']() }} {{ list.0 }} {{ rows.0.k }} {{ map.a.1 }} {{ n.real is defined }} {{ f.is_integer() }} {{ n.bit_length() }} {{ rows[0]['k'] }} {{ rows[0][missing] is defined }}
{{ list[::0] }}
{{ missing[0] }}
{{ missing() }}
{{ missing + 1 }}
{{ 1 + missing }}
{{ missing ~ 'a' }}{{ missing | upper }}{{ [missing] }}{{ missing == missing }}{{ missing == none_ }}{{ missing != 1 }}
{{ missing < 1 }}
{{ -missing }}
{{ none_ + 1 }}
{{ none_.x is defined }} {{ n.x is defined }} {{ list.x is defined }}
{{ none_.x.y }}
{{ list + (1,) }}
{{ 'a' * 2.5 }}
{{ 'a' - 'b' }}
{{ n // 0 }}
{{ n % 0 }}
{{ 1 in 5 }}
{{ 1 in 'abc' }}
{{ {[]: 1} }}
{{ {'a': 1, 'a': 2} }} {{ {1: 'a', 1.0: 'b', true: 'c'} }} {{ {(1, 2): 3}[(1, 2)] }} {{ {} }} {{ {'a': {'b': []}} }} {{ [1, [2, (3,)], {'x': none}] }}
{{ 1_000 + 0x_f + 0b1 + 0o7 }} {{ 1e3 }} {{ 1.5e-3 }} {{ 1E5 }} {{ 10.0 ** 20 }} {{ 1_0.5 }} {{ 123456789012345678 }} {{ 1e22 }} {{ 1e21 }} {{ 0.1 + 0.2 }} {{ 1 / 3 }} {{ 100 * 1.1 }} {{ 5 / 2 }} {{ 4 / 2 }} {{ 1e16 }} {{ 123456.789e3 }}
{{ 'a' 'b' "c" }} {{ 'it\'s' }} {{ "q\"q" }} {{ '\\n' }} {{ 'a\tb' }} {{ '\x41\u00e9\U0001F600' }} {{ 'a\
b' }} {{ '\q' }} {{ '\0' | length }}
{{ true }} {{ True }} {{ false }} {{ none }} {{ None }} {{ TRUE is defined }}
{{ (1, 2) + (3,) }} {{ [1] + [2] }} {{ 'a' + 'b' }} {{ [0] * 3 }} {{ 3 * 'ab' }} {{ (1,) * 2 }} {{ 'a' * -1 }} {{ true + true }} {{ [1, 2] == (1, 2) }} {{ 'a' < 'b' }} {{ [1, 2] < [1, 3] }} {{ (1,) < (1, 2) }} {{ {'a': 1} == {'a': 1} }} {{ 1 == '1' }} {{ none == false }} {{ [] == false }}
{{ {'a': 1} < {'b': 1} }}
{{ [1] < ['a'] }}
{{ name }} {{- name }} {{ name -}}  x
{{ joiner is defined }}{% set j = joiner(', ') %}{% for i in list %}{{ j() }}{{ i }}{% endfor %}{% set k = joiner() %}{{ k() }}{{ k() }}
{% set c = cycler('a', 'b') %}{{ c.next() }}{{ c.next() }}{{ c.current }}{{ c.next() }}{{ c.reset() }}{{ c.current }}
{{ lipsum is defined }} {{ dict is callable }} {{ namespace is callable }} {{ range(3) | sum }} {{ dict(a=1, b=[2]) }} {{ dict(map) }} {{ dict() }}
{{ raise_exception('x' ~ 1) }}
{{ raise_exception() }}
{{ range(1, 10, 0) }}
{{ range('a') }}
{{ range(100001) }}
{{ range(10, 0, -3) | list }} {{ range(0) | list }} {{ range(-3, 3) | list }} {{ range(3) | length }} {{ 2 in range(3) }} {{ range(3) | last }} {{ range(3) == range(3) }}
{{ x.y.z is defined }}
{{ (x | default({})).y is defined }} {{ (x or {}).y }} {{ x is defined and x.y }}
{{ name is string and name.startswith('A') and n > 3 and 'x' not in name }}
{{ name | upper | lower | capitalize ~ '!' }} {{ list | map('string') | join | int + 1 }} {{ (list | sum) / (list | length) }} {{ list | sort | first + 1 }}
{{ words | map('length') | sum }} {{ words | map('first') | join }} {{ words | sort(attribute=0) | list }} {{ words | map('title') | map('replace', 'A', 'E') | list }}
{% set x = [1, 2] if yes else [] %}{{ x }}{% set y = 1 if no %}{{ y is defined }}{% set z = none if no else 'q' %}{{ z }}
{% for x in list | sort %}{{ x }}{% endfor %}{% for x in (1, 2) %}{{ x }}{% endfor %}{% for x in 1, 2 %}{{ x }}{% endfor %}{% for c in 'ab' %}{{ c }}.{% endfor %}{% for k in {'a': 1} %}{{ k }}{% endfor %}
{% for k, v in {'a': 1, 'b': 2}.items() if v > 1 %}{{ k }}{{ v }}{% endfor %}{% for k, v in map | dictsort %}{{ k }}{% endfor %}{% for x in list[1:] %}{{ x }}{% endfor %}
{% for x in list %}{% set y = x %}{% endfor %}{{ y is defined }}{% if yes %}{% set w = 1 %}{% endif %}{{ w }}{% set x = 1 %}{% for i in [1] %}{{ x }}{% set x = 2 %}{{ x }}{% endfor %}{{ x }}
{% for x in none_ %}{% endfor %}
{% for x in n %}{% endfor %}
{% for a, b in list %}{% endfor %}
{% for a, b in ['xy', 'zw'] %}{{ a }}{{ b }}{% endfor %}
{% if x is defined and x %}{% elif (list | length) > 2 and list[0] == 3 %}ok{% endif %}
{%- set x = 1 -%}  a  {%- if x -%}  b  {%- endif -%}  c  
a{# c #}b{#- d -#} e {# multi
line #}f
{{ '{{' }} {{ '}}' }} {{ "{%" }} { { } } {% raw %}{#{% endraw %} { % #}
{{ {'a':{'b':1}}.a.b }}{{ {'x': [1,2,{'y':3}]}['x'][2].y }}
{% set loop = 5 %}{{ loop }}{% for i in [1] %}{{ loop.index }}{% endfor %}{{ loop }}
{% set list = 5 %}{{ list }}{% set range = 1 %}{{ range }}
{{ caller is defined }} {{ loop is defined }} {{ varargs is defined }}
{% for i in list %}{{ loop }}{% break %}{% endfor %}
{{ namespace(a=1) }}
{{ 1 if }}
{{ for }}
{{ (1 }}
{{ a b }}
{% if %}{% endif %}
{% for in x %}{% endfor %}
{% set 5 = x %}
{% set true = 1 %}
{% macro 5() %}{% endmacro %}
{% endif %}
{% if yes %}
{% for x in y %}{% endif %}
{% unknown %}
{{ x | }}
{{ x is }}
{{ x. }}
{{ x[ }}
{{ 'abc }}
{# open
{% raw %}open
{{ x ? y }}
{{ @ }}
{{ 1 = 2 }}
{{ x !y }}
{{ f(a=1, 2) }}
{{ f(*a, b) }}
{{ [1, 2 }}
{{ {'a' 1} }}
{{ 5.upper() }}
{{ not }}
{{ and }}
{{ x is not }}
{% else %}
{% break %}
{% continue %}
{% set x %}
{% call x %}{% endcall %}
{% filter %}{% endfilter %}
{% block %}{% endblock %}
{% block a %}{% endblock %}{% block a %}{% endblock %}
{{ name.__class__ }}
{{ name['__class__'] }}
{{ name | attr('__class__') }}
{{ ''.format.__globals__ }}
""".strip("\n").split("\n")
# Python joins these: a line of the list above ends where its text does.
JOINED = [
    "{% for x in list %}\n  - {{ x }}\n{% endfor %}\nend\n",
    "  {%- for x in list -%}\n  {{ x }}\n  {%- endfor +%}\n end",
    "a\n\n  {% if yes %}\n\n b\n  {%- endif %}\n\n\nc\n\n",
    "\t{% if yes %}\t\n\tx\n\t{% endif %}\t\ny",
    "x {% if yes %}\n y\n {% endif %} z\n",
    "  {{ name }}  \n  {{- name -}}  \n  {{ name }}\n",
    "{#- a -#}\n  {# b #}\n  x\n{# c #}  y",
    "{%+ if yes +%}\n a\n{%+ endif +%}\n",
    "\n{% set a = 1 %}\n{{ a }}\n{%- set b = 2 %}\n{{ b }}\n\n",
    "a\r\nb\r{% if yes %}\r\nc{% endif %}\r\n",
    "{{ 'a\nb' }}\n{{ 'a\\nb' }}\n",
    "{% macro m(x) -%}\n  [{{ x }}]\n{%- endmacro %}\n{{ m(1) }}{{ m(2) }}\n",
    "{%- macro m() %}\n  a\n{%- endmacro -%}\n<{{ m() }}>",
    "{% for i in list -%}\n{{ i }}\n{% else -%}\n none\n{% endfor -%}\n .",
    "{% set x %}\n  a\n  {% if yes %}\n  b\n  {% endif %}\n{% endset %}[{{ x }}]",
    "{{ [\n 1,\n 2,\n] }}{{ {\n'a': 1,\n} }}{{ (1,\n) }}",
    "{{ name\n  | upper\n  | lower }}{% if yes\n and yes %}x{% endif %}",
    "{{ 'a\\\nb' }}",
    "", "\n", "\n\n", " ", "{", "}}", "%}", "{ {", "a{", "{{ '' }}\n",
]
"""Random expressions: every rule that can be combined, over the variables above."""
NAMES = ["name", "text", "n", "z", "f", "yes", "no", "none_", "list", "words", "rows", "map",
         "empty", "missing", "html"]
FILTERS = ["upper", "lower", "trim", "length", "list", "first", "last", "reverse", "sort", "string",
           "tojson", "int", "float", "abs", "join(',')", "default('d')", "default('d', true)",
           "unique", "map('string')", "select", "reject", "sum", "max", "min", "title",
           "capitalize", "replace('a', 'b')", "e", "round", "batch(2)", "dictsort", "items",
           "wordcount", "tojson(indent=2)", "indent", "center(9)", "truncate(6)", "slice(2)",
           "sort(reverse=true)", "map('length')", "selectattr('on')", "map(attribute='k')",
           "striptags", "urlencode", "wordwrap(4)", "safe", "count"]
TESTS = ["defined", "none", "string", "mapping", "sequence", "iterable", "number", "true", "odd",
         "integer", "in [1, 'a']", "eq 7", "lower", "divisibleby 2", "gt 1", "boolean", "callable"]
METHODS = [".upper()", ".split()", ".strip()", ".get('a')", ".items()", ".keys()", ".k", ".x",
           "[0]", "[-1]", "[1:]", "[::-1]", "['a']", ".startswith('A')", ".replace('l', 'L')",
           ".join(words)", ".count(1)", ".index(1)", ".title()", ".splitlines()", ".find('l')"]
OPERATORS = ["+", "-", "*", "/", "//", "%", "~", "and", "or", "==", "!=", "<", ">", "<=", ">=",
             "in", "not in", "**"]
LITERALS = ["0", "1", "-3", "2.5", "'a'", "''", "'b c'", "[]", "[1, 'x']", "{'a': 1}", "(1, 2)",
            "true", "none", "'%s'", "'é'", "1e3"]


def expression(chance, depth):
    kind = chance.randrange(9) if depth > 0 else chance.randrange(2)
    if kind == 0:
        return chance.choice(NAMES)
    if kind == 1:
        return chance.choice(LITERALS)
    inner = expression(chance, depth - 1)
    if kind in (2, 3):
        return f"({inner}) | {chance.choice(FILTERS)}"
    if kind == 4:
        return f"({inner}) is {chance.choice(['', 'not '])}{chance.choice(TESTS)}"
    if kind == 5:
        # Jinja folds what it can beforehand, and constants are cut by other rules.
        if inner in LITERALS:
            inner = "n"
        return f"({inner}){chance.choice(METHODS)}"
    if kind == 6:
        return f"({inner} if {expression(chance, depth - 1)} else {expression(chance, 0)})"
    if kind == 7:
        return f"{chance.choice(['not ', '-', ''])}({inner})"
    return f"{inner} {chance.choice(OPERATORS)} {expression(chance, depth - 1)}"


def statement(chance, depth):
    kind = chance.randrange(6) if depth > 0 else 0
    value = expression(chance, 3)
    if kind <= 1:
        return "{{ " + value + " }}"
    body = "".join(statement(chance, depth - 1) for _ in range(chance.randrange(1, 3)))
    gap = chance.choice(["", " ", "\n", "\n  "])
    minus = chance.choice(["", "-"])
    if kind == 2:
        return f"{gap}{{%{minus} if {value} %}}{gap}{body}{gap}{{% else {minus}%}}{gap}no{{% endif %}}"
    if kind == 3:
        return f"{gap}{{% for x in {value} {minus}%}}{gap}{{{{ loop.index }}}}{body}{{%- endfor %}}"
    if kind == 4:
        return f"{{% set v = {value} %}}{gap}{{{{ v }}}}{body}"
    return f"{{% macro q(a, b=1) %}}{{{{ a }}}}{gap}{body}{{% endmacro %}}{{{{ q({value}) }}}}"


def varies(text):
    """Addresses of objects differ from run to run."""
    return " at 0x" in text or "object at" in text


def prints_generator(template):
    """A filter over the text of a generator, which holds an address: what comes out varies."""
    lazy = "|".join(["batch", "slice", "map", "select", "reject", "selectattr", "unique", "items",
                     "reverse"])
    texts = "string|wordcount|title|trim|upper|lower|capitalize|e|urlencode|striptags|indent|" \
            "center|replace|truncate|safe"
    return re.search(rf"\| ({lazy})(\([^)]*\))?\) \| ({texts})\b|~.*\| ({lazy})|\| ({lazy}).*~",
                     template)


def separately(line):
    """Outputs of one line are cases of their own: one that fails must not hide the others."""
    if "{%" in line or "}} {{" not in line:
        return [line]
    parts = line.split("}} {{")
    return [("" if i == 0 else "{{") + part + ("" if i + 1 == len(parts) else "}}")
            for i, part in enumerate(parts)]


def case(template):
    line = {"template": template}
    try:
        line["rendered"] = _compile_jinja_template(template).render(**json.loads(json.dumps(VARIABLES)))
    except Exception as problem:  # any failure of the reference is the expectation
        line["error"] = f"{type(problem).__name__}: {problem}"[:200]
    return line


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    chance = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    here = os.path.dirname(os.path.abspath(__file__))
    path = sys.argv[3] if len(sys.argv) > 3 else os.path.join(here, "jinja_cases.jsonl")
    cases = [case(part) for line in LINES for part in separately(line)]
    cases += [case(template) for template in JOINED]
    while count > 0:
        made = case(statement(chance, 1))
        # Most expressions of chance have no value: one failure in five is enough.
        if "error" in made and (chance.random() < 0.8 or "SyntaxError" in made["error"]):
            continue
        if "enerator" in made.get("rendered", "") or prints_generator(made["template"]):
            continue
        count -= 1
        cases.append(made)
    with open(path, "w", encoding="utf-8") as file:
        for made in cases:
            text = json.dumps(made)
            if not varies(text) and len(text) < 20000:
                file.write(text + "\n")
    with open(os.path.join(here, "jinja_variables.json"), "w", encoding="utf-8") as file:
        json.dump(VARIABLES, file, indent=1)


if __name__ == "__main__":
    main()
