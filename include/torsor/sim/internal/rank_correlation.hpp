#pragma once
/// How far one list of numbers rises where another does.
#include <vector>

namespace torsor::internal {

/// Spearman's coefficient: the correlation of ranks, ties sharing their mean rank. 1: the second list
/// rises with the first, whatever the shape of the law between them; -1: it falls. NaN for fewer than
/// three pairs or a list of equal numbers. Pairs with a number that is not finite are left out.
/// Source   Spearman 1904; Saltelli et al. 2008, sec. 1.2.5 (as a measure of sensitivity).
double rank_correlation(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace torsor::internal
