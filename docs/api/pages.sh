#!/bin/bash
# pages.sh DOCS OUT: the documents as HTML with formulas (MathML, no program and no network needed).
set -e
docs=$1 out=$2
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$out/images"
cp "$docs"/images/* "$out/images/"
(cd "$docs" && find . -name '*.md') | while read -r page; do
  mkdir -p "$out/$(dirname "$page")"
  title=$(sed -n 's/^# //p' "$docs/$page" | head -1)
  pandoc -f gfm+tex_math_dollars-yaml_metadata_block -t html --mathml -s --fail-if-warnings \
    --lua-filter "$here/pages.lua" --metadata pagetitle="$title" "$docs/$page" -o "$out/${page%.md}.html.part"
  mv "$out/${page%.md}.html.part" "$out/${page%.md}.html"
done
