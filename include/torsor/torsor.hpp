#pragma once
/// Everything public.
#include "torsor/dynamics/rnea.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/kinematics/forward.hpp"
#include "torsor/math/dual.hpp"
#include "torsor/math/euler.hpp"
#include "torsor/math/pack.hpp"
#include "torsor/model/builder.hpp"
#include "torsor/model/configuration.hpp"
#include "torsor/model/dh.hpp"
#include "torsor/model/surgery.hpp"
#include "torsor/robot.hpp"
