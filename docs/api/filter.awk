# For Doxygen: the comment at the head of a header is the documentation of that file, as it is written
# (equations, tables). What has no comment of its own refers to it; what stands directly below
# another declaration shares that one's.
#   awk -f filter.awk include/torsor/dynamics/aba.hpp
NR == 2 && /^\/\/\// {
  head = 1
  sub(/^\/\/\/ ?/, "")
  print "/// @file"
  print "/// @brief " $0
  print "/// @verbatim"
  next
}
head == 1 && /^\/\/\// { print; next }
head == 1 { print "/// @endverbatim"; head = 2 }
head == 2 {
  word = $1
  type = word ~ /^(struct|class|enum|template)$/
  other = /^[A-Za-z].*[({=;,]/ && word !~ /^(namespace|extern|friend|return|requires|static_assert)$/ && word !~ /^TORSOR_[A-Z_]*\(/
  if (/^[A-Za-z]/ && (type || other) && !/^(struct|class|enum class) [A-Za-z0-9_]+;/) {
    file = FILENAME
    sub(/^.*include\//, "", file)
    if (before ~ /^$/ || before ~ /\{$/ || before ~ /^#/) print "/// The head of " file " says what it is for."
    else if (before ~ /[;}]( *\/\/.*)?$/) print "/// Shares the comment of what stands above it."
  }
}
{ before = $0; print }
