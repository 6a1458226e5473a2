#include <memory>

#include "command.hpp"
#include "robot_argument.hpp"

#ifdef TORSOR_WITH_VIEW
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "interrupt.hpp"
#include "json_output.hpp"
#include "print.hpp"
#include "server/server.hpp"
#include "server/session.hpp"
#include "text_output.hpp"
#include "torsor/formats/text.hpp"
#endif

namespace torsor::command {
namespace {

struct ViewArguments {
  RobotArgument robot;
  std::string q;
  int port = 0;
  bool degrees = false, open = false, json = false;
};

#ifdef TORSOR_WITH_VIEW

/// The user's browser, which goes on by itself: what it says and how it ends is its own affair.
void open_browser(const std::string& url) {
  const pid_t child = fork();
  if (child == 0) {
    if (fork() == 0) {
      const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
      for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nowhere, stream);
      setsid();
      execlp("xdg-open", "xdg-open", url.c_str(), static_cast<char*>(nullptr));
    }
    _exit(0);
  }
  if (child > 0) waitpid(child, nullptr, 0);
}

Robot robot_of(const ViewArguments& o) {
  return o.robot.floating ? Robot(load_model(o.robot)) : Robot(o.robot.name, o.robot.files);
}

int serve(const ViewArguments& o, std::string& out) {
  const view::PageFiles page = view::page_files();
  if (page.script.empty())
    throw Failure("view: this torsor was built without its pages (npm ci in viewer/)");
  Robot robot = robot_of(o);
  view::SessionOptions session_options{.robot = o.robot.name,
                                       .runs = !o.robot.floating,
                                       .package_folders = o.robot.files.package_folders};
  if (!o.q.empty()) session_options.q = parse_configuration(o.q, o.degrees, robot.model(), "--q");
  view::Session session(std::move(robot), std::move(session_options));
  const Interrupt interrupt;
  view::Server server(session, page, {.port = o.port});
  out += o.json ? json_text({{"url", server.url()}, {"port", server.port()}})
                : one_line(session.name()) + ": " + bold(server.url()) +
                      "\nwho has this address may move the robot; Ctrl-C ends\n";
  print_remarks();
  (void)print(out);
  if (o.open) open_browser(server.url());
  server.run(&interrupt.flag());
  return good;
}

#else

int serve(const ViewArguments&, std::string&) {
  throw Failure("view: this torsor was built without its server (libcpp-httplib-dev)");
}

#endif

Action add_view(Arguments& app) {
  const auto o = std::make_shared<ViewArguments>();
  add_robot(app, o->robot, true);
  app.add_option("--q", o->q,
                 "configuration to begin with; neutral, or within its limits, without it")
      .type_name("NUMBERS");
  app.add_flag("--deg", o->degrees, "angles of --q are in degrees");
  app.add_flag("--open", o->open, "open the page in the browser");
  app.add_option("--port", o->port, "of 127.0.0.1; any that is free without it").range(1, 65535);
  add_json(app, o->json);
  return [o](std::string& out) { return serve(*o, out); };
}

}  // namespace

extern const Verb view_verb;
const Verb view_verb{
    "view", "a page to play with a robot: sliders, a tool to drag, matrices, laws",
    "  timeout 2 torsor view puma560 || true                 # prints an address for the browser\n"
    "  timeout 2 torsor view ur5 --q 0,-60,90,0,45,0 --deg || true\n"
    "\n"
    "The page moves joints within their limits, drags the tool (inverse kinematics with all\n"
    "branches where there is a closed form), keeps loops closed, shows M, C, J, g and tau,\n"
    "ellipsoids and singularities, and runs a recorded motion under a control law.\n"
    "\n"
    "It is served on this machine alone, to whoever has the address with its token; pages of\n"
    "other origins are refused, and no file but the robot's meshes is read. Ctrl-C ends it.\n",
    add_view};

}  // namespace torsor::command
