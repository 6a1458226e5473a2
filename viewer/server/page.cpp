#include "server/page.hpp"

#include "torsor/experiments/internal/viewer_files.hpp"

namespace torsor::view {
namespace {

constexpr std::string_view html = R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<title>torsor view</title>
<link rel="icon" href="data:,"/>
<link rel="stylesheet" href="view.css"/>
</head>
<body>
<main>
<div class="stage"><canvas id="canvas" tabindex="0" role="img" aria-label="robot"></canvas><h1 id="name"></h1></div>
<div id="side"><noscript>This page needs JavaScript.</noscript></div>
</main>
<script src="view.js"></script>
</body>
</html>
)";

}  // namespace

PageFiles page_files() {
  return {html, internal::viewer_file("view.js"), internal::viewer_file("view.css")};
}

}  // namespace torsor::view
