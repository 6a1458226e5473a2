#include "torsor/trajectory/piecewise.hpp"

namespace torsor {

template class PiecewisePolynomial<double>;
template class PiecewisePolynomial<float>;

}  // namespace torsor
