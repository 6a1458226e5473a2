// Whom the server of `torsor view` answers, and what it survives.
#include <atomic>
#include <cstdio>
#include <memory>
#include <vector>

#include "house/process.hpp"
#include "view/client.hpp"

namespace torsor::testing {
namespace {

const std::string moved = R"({"q": [0.1, 0.2]})";

TEST(Server, answers_the_page_and_what_it_asks) {
  const RunningServer s("planar2r");
  const HttpAnswer page = s.get("");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.body, "<!doctype html><title>page</title>");
  EXPECT_NE(page.head.find("Content-Security-Policy: default-src 'none'"), std::string::npos);
  EXPECT_NE(page.head.find("X-Frame-Options: DENY"), std::string::npos);
  EXPECT_EQ(s.get("view.js").body, "script");
  EXPECT_EQ(s.get("view.css").body, "style");
  EXPECT_EQ(s.get("api/robot").json().at("n_q"), 2);
  EXPECT_EQ(s.post("move", moved).json().at("q"), Json({0.1, 0.2}));
  EXPECT_EQ(s.get("api/state").json().at("q"), Json({0.1, 0.2}));
}

TEST(Server, does_not_share_its_port) {
  const RunningServer s("planar2r");
  view::Session other(Robot("planar3r"));
  EXPECT_THROW(view::Server(other, {}, {.port = s.server.port()}), Error);
}

TEST(Server, listens_on_loopback_alone) {
  const RunningServer s("planar2r");
  const std::string port = std::to_string(s.server.port());
  // The kernel's table: 0100007F is 127.0.0.1, 0A is listening.
  char hex[8];
  std::snprintf(hex, sizeof hex, "%04X", s.server.port());
  const std::string table = read_text("/proc/net/tcp") + read_text("/proc/net/tcp6");
  EXPECT_NE(table.find(std::string(" 0100007F:") + hex + " 00000000:0000 0A"), std::string::npos);
  EXPECT_EQ(table.find(std::string(" 00000000:") + hex + " "), std::string::npos);
}

TEST(Server, refuses_requests_without_the_token) {
  const RunningServer s("planar2r");
  std::string wrong = s.root();
  wrong[5] = wrong[5] == 'a' ? 'b' : 'a';
  for (const std::string& path :
       {std::string("/"), std::string("/api/state"), std::string("//"), std::string("/x/"), wrong,
        wrong + "api/state", s.root().substr(0, s.root().size() - 2) + "/api/state"})
    EXPECT_EQ(s.raw(s.request("GET", path)).status, 403) << path;
  EXPECT_EQ(s.raw(s.request("POST", wrong + "api/move", moved)).status, 403);
  EXPECT_EQ(s.session.q().norm(), 0);
}

TEST(Server, refuses_other_hosts_and_origins) {
  const RunningServer s("planar2r");
  const std::string port = std::to_string(s.server.port());
  const auto with_host = [&](const std::string& host) {
    return s.raw("GET " + s.root() + "api/state HTTP/1.1\r\n" + host + "Connection: close\r\n\r\n")
        .status;
  };
  EXPECT_EQ(with_host("Host: 127.0.0.1:" + port + "\r\n"), 200);
  EXPECT_EQ(with_host("Host: localhost:" + port + "\r\n"), 200);
  EXPECT_EQ(with_host("Host: evil.example:" + port + "\r\n"), 421);
  EXPECT_EQ(with_host("Host: 127.0.0.1\r\n"), 421);
  EXPECT_EQ(with_host("Host: 127.0.0.1:1\r\n"), 421);
  EXPECT_EQ(with_host(""), 421);
  EXPECT_EQ(with_host("Host: evil.example\r\nHost: 127.0.0.1:" + port + "\r\n"), 421);
  const auto with_header = [&](const std::string& header) {
    return s.raw(s.request("POST", s.root() + "api/move", moved, header + "\r\n")).status;
  };
  EXPECT_EQ(with_header("Origin: http://127.0.0.1:" + port), 200);
  EXPECT_EQ(with_header("Origin: https://evil.example"), 403);
  EXPECT_EQ(with_header("Origin: null"), 403);
  EXPECT_EQ(with_header("Origin: http://127.0.0.1:1"), 403);
  EXPECT_EQ(with_header("Origin: http://evil.example/127.0.0.1:" + port), 403);
  EXPECT_EQ(with_header("Sec-Fetch-Site: cross-site"), 403);
  EXPECT_EQ(with_header("Sec-Fetch-Site: same-origin"), 200);
}

TEST(Server, refuses_forms_packed_bodies_and_other_methods) {
  const RunningServer s("planar2r");
  const auto post = [&](const std::string& headers, const std::string& body) {
    return s
        .raw("POST " + s.root() + "api/move HTTP/1.1\r\nHost: " + s.host() + "\r\n" + headers +
             "\r\n" + body)
        .status;
  };
  const std::string length = "Content-Length: " + std::to_string(moved.size()) + "\r\n";
  EXPECT_EQ(post("Content-Type: text/plain\r\n" + length, moved), 415);
  EXPECT_EQ(post("Content-Type: application/x-www-form-urlencoded\r\n" + length, moved), 415);
  EXPECT_EQ(post(length, moved), 415);
  EXPECT_EQ(post("Content-Type: application/json\r\nContent-Encoding: gzip\r\n" + length, moved),
            415);
  EXPECT_EQ(post("Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n", "5\r\n{}{}{"),
            415);
  EXPECT_EQ(s.session.q().norm(), 0);
  for (const char* method : {"PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT"})
    EXPECT_GE(s.raw(s.request(method, s.root() + "api/state")).status, 400) << method;
}

TEST(Server, serves_no_file_but_meshes_of_the_robot) {
  const RunningServer s("planar2r");
  for (const char* path :
       {"../../etc/passwd", "%2e%2e/%2e%2e/etc/passwd", "..%2fetc%2fpasswd", "/etc/passwd",
        "mesh/../../../etc/passwd", "mesh/%2e%2e%2f%2e%2e%2fetc%2fpasswd", "mesh/0", "mesh/-1",
        "mesh/1e9", "mesh/99999999999999999999", "mesh/", "mesh/a", "api/../x", "view.js/../x"}) {
    const HttpAnswer answer = s.get(path);
    EXPECT_GE(answer.status, 400) << path;
    EXPECT_EQ(answer.body.find("root:"), std::string::npos) << path;
  }
}

TEST(Server, bounds_requests_and_goes_on) {
  const RunningServer s("planar2r", {.request_seconds = 0.5});
  const auto survived = [&] { return s.get("api/state").status == 200; };
  EXPECT_EQ(s.raw(s.request("GET", s.root() + std::string(300, 'a'))).status, 414);
  EXPECT_GE(s.raw(s.request("GET", s.root() + std::string(100000, 'a'))).status, 0);
  EXPECT_TRUE(survived());
  // A body that is announced as too long, one that is, and headers without end.
  const std::string huge = "POST " + s.root() + "api/move HTTP/1.1\r\nHost: " + s.host() +
                           "\r\nContent-Type: application/json\r\nContent-Length: ";
  EXPECT_EQ(s.raw(huge + "99999999999\r\n\r\n" + std::string(100000, ' ')).status, 413);
  EXPECT_GE(s.raw(huge + "-1\r\n\r\n" + moved).status, 400);
  EXPECT_NE(s.post("move", std::string(2 << 20, ' ')).status, 200);
  std::string headers = "GET " + s.root() + " HTTP/1.1\r\n";
  for (int k = 0; k < 100000; ++k)
    headers += "X-" + std::to_string(k) + ": " + std::string(20, 'x') + "\r\n";
  EXPECT_NE(s.raw(headers + "\r\n").status, 200);
  EXPECT_TRUE(survived());
  for (const char* rubbish : {"\r\n\r\n", "GET\r\n\r\n", "\x16\x03\x01\x02\x00",
                              "GET / HTTP/9.9\r\n\r\n", "GET http://[ HTTP/1.1\r\n\r\n"})
    EXPECT_NE(s.raw(rubbish, 6).status, 200);
  EXPECT_TRUE(survived());
}

TEST(Server, refuses_hostile_json_in_one_line) {
  const RunningServer s("planar2r");
  const std::string deep(200000, '['), deep_objects = [] {
    std::string text;
    for (int k = 0; k < 50000; ++k) text += "{\"a\":";
    return text;
  }();
  for (const std::string& body :
       {deep, deep_objects, "{\"q\": " + deep, std::string("{\"q\": [NaN, 0]}"),
        std::string("{\"q\": [1e999, 0]}"), std::string("{\"q\": [1e300, 0]}"),
        std::string("{\"q\": [0, \"0\"]}"), std::string("{\"q\": [0]}"),
        std::string("{\"q\": [0, null]}"), std::string("{\"q\": 3}"), std::string("[0, 0]"),
        std::string("null"), std::string("{\"q\": [0, 0], \"qq\": 1}"), std::string("{"),
        std::string("\xff\xfe"), std::string("{\"\\ud800\": 1}"), std::string(1, '\0'),
        std::string("{}")}) {
    const HttpAnswer answer = s.post("move", body);
    EXPECT_EQ(answer.status, 400) << body.substr(0, 60);
    const std::string error = answer.json().at("error");
    EXPECT_FALSE(error.empty());
    EXPECT_LT(error.size(), 400u);
    EXPECT_EQ(error.find('\n'), std::string::npos);
  }
  EXPECT_EQ(s.post("unknown", std::string("{}")).status, 400);
  EXPECT_EQ(s.session.q().norm(), 0);
}

TEST(Server, survives_ten_thousand_requests) {
  const RunningServer s("planar2r");
  std::atomic<int> good = 0;
  const auto ask = [&](int from) {
    for (int k = from; k < 10000; k += 2) {
      if (k % 100 < 2) {  // now and then a connection of its own
        good += s.get("api/robot").status == 200 ? 1 : 0;
        continue;
      }
      // Several requests on one connection.
      const Connection connection(s.server.port());
      std::string text = "GET " + s.root() + "view.js HTTP/1.1\r\nHost: " + s.host() + "\r\n\r\n";
      int here = 0;
      for (; here < 49 && k < 10000; ++here, k += 2) {
        if (!connection.send(text)) break;
        const std::string answer = connection.receive(10, "\r\n\r\nscript");
        good += parse_answer(answer).status == 200 ? 1 : 0;
      }
      k -= 2;
    }
  };
  std::thread other([&] { ask(1); });
  ask(0);
  other.join();
  EXPECT_EQ(good, 10000);
  EXPECT_EQ(s.get("api/state").status, 200);
}

TEST(Server, slow_clients_hold_up_nobody_and_are_left) {
  const RunningServer s("planar2r", {.request_seconds = 1});
  std::vector<std::unique_ptr<Connection>> slow;
  for (int k = 0; k < 40; ++k) {
    slow.push_back(std::make_unique<Connection>(s.server.port()));
    ASSERT_TRUE(slow.back()->connected);
    (void)slow.back()->send("GET " + s.root());
  }
  const auto begin = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  EXPECT_EQ(s.get("api/state").status, 200);
  EXPECT_LT(seconds(), 2.0);
  // A letter now and then does not help: the whole request has its time.
  while (seconds() < 3)
    for (auto& client : slow)
      (void)client->send("a"), std::this_thread::sleep_for(std::chrono::milliseconds(5));
  for (auto& client : slow) EXPECT_TRUE(client->is_closed_within(2));
}

TEST(Server, more_connections_than_it_serves_are_closed_and_it_goes_on) {
  const RunningServer s("planar2r", {.request_seconds = 1, .threads = 4, .waiting = 8});
  std::vector<std::unique_ptr<Connection>> many;
  for (int k = 0; k < 100; ++k) many.push_back(std::make_unique<Connection>(s.server.port()));
  int closed = 0;
  for (auto& client : many) closed += client->is_closed_within(0.02) ? 1 : 0;
  EXPECT_GT(closed, 50);
  many.clear();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_EQ(s.get("api/state").status, 200);
}

TEST(Server, a_client_that_does_not_read_holds_up_nobody) {
  const RunningServer s("puma560");
  const Connection lazy(s.server.port());
  std::string many;
  for (int k = 0; k < 900; ++k)
    many += "GET " + s.root() + "api/scene HTTP/1.1\r\nHost: " + s.host() + "\r\n\r\n";
  (void)lazy.send(many);
  EXPECT_EQ(s.get("api/state").status, 200);
}

TEST(Server, tells_all_pages_of_a_change) {
  const RunningServer s("planar2r");
  const Connection one(s.server.port()), two(s.server.port());
  for (const Connection* page : {&one, &two}) {
    (void)page->send("GET " + s.root() + "events HTTP/1.1\r\nHost: " + s.host() + "\r\n\r\n");
    const std::string first = page->receive(5, "data: {\"version\":1}");
    EXPECT_NE(first.find("text/event-stream"), std::string::npos) << first;
    EXPECT_NE(first.find("data: {\"version\":1}"), std::string::npos) << first;
  }
  EXPECT_EQ(s.post("move", moved).status, 200);
  for (const Connection* page : {&one, &two})
    EXPECT_NE(page->receive(5, "data: {\"version\":2}").find("data: {\"version\":2}"),
              std::string::npos);
  // Both see the same state, and one that comes later too.
  EXPECT_EQ(s.get("api/state").json().at("q"), Json({0.1, 0.2}));
}

TEST(Server, pages_that_listen_are_counted_and_forgotten_when_they_go) {
  const RunningServer s("planar2r", {.event_streams = 2});
  const std::string listen =
      "GET " + s.root() + "events HTTP/1.1\r\nHost: " + s.host() + "\r\n\r\n";
  {
    const Connection one(s.server.port()), two(s.server.port()), three(s.server.port());
    for (const Connection* page : {&one, &two}) {
      (void)page->send(listen);
      EXPECT_NE(page->receive(5, "version").find(" 200 "), std::string::npos);
    }
    (void)three.send(listen);
    EXPECT_NE(three.receive(5, "too many").find(" 503 "), std::string::npos);
  }
  HttpAnswer again;
  for (int k = 0; k < 50 && again.status != 200; ++k) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    const Connection page(s.server.port());
    (void)page.send(listen);
    again = parse_answer(page.receive(5, "\r\n\r\n"));
  }
  EXPECT_EQ(again.status, 200);
}

TEST(Server, stops_soon_with_pages_open) {
  const auto begin = std::chrono::steady_clock::now();
  {
    const RunningServer s("planar2r");
    const Connection page(s.server.port()), idle(s.server.port());
    (void)page.send("GET " + s.root() + "events HTTP/1.1\r\nHost: " + s.host() + "\r\n\r\n");
    (void)page.receive(5, "version");
    s.get("api/state");
    const_cast<view::Server&>(s.server).stop();
  }
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), 4);
}

TEST(Server, two_servers_have_their_own_ports_and_tokens) {
  const RunningServer a("planar2r"), b("planar2r");
  EXPECT_NE(a.server.port(), b.server.port());
  EXPECT_NE(a.root(), b.root());
  EXPECT_EQ(a.root().size(), 34u);
  EXPECT_EQ(a.raw(a.request("GET", b.root() + "api/state")).status, 403);
}

}  // namespace
}  // namespace torsor::testing
