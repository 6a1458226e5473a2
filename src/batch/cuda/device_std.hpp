#pragma once
/// What the sweeps take from the standard library, for NVRTC, which has none. Read by it alone, under the
/// names of the standard headers.
#ifdef __CUDACC_RTC__

namespace std {

using size_t = decltype(sizeof(0));
using ptrdiff_t = decltype(static_cast<char*>(nullptr) - static_cast<char*>(nullptr));
using int32_t = int;
using int64_t = long long;
using uint32_t = unsigned;
using uint64_t = unsigned long long;

template <class T>
struct type_identity {
  using type = T;
};
template <class T>
using type_identity_t = typename type_identity<T>::type;
template <class T>
struct remove_reference : type_identity<T> {};
template <class T>
struct remove_reference<T&> : type_identity<T> {};
template <class T>
struct remove_reference<T&&> : type_identity<T> {};
template <class T>
using remove_reference_t = typename remove_reference<T>::type;
template <class T>
struct remove_cv : type_identity<T> {};
template <class T>
struct remove_cv<const T> : type_identity<T> {};
template <class T>
struct remove_cv<volatile T> : type_identity<T> {};
template <class T>
struct remove_cv<const volatile T> : type_identity<T> {};
template <class T>
using remove_cv_t = typename remove_cv<T>::type;
template <class T>
using remove_cvref_t = remove_cv_t<remove_reference_t<T>>;
template <class T>
struct remove_pointer : type_identity<T> {};
template <class T>
struct remove_pointer<T*> : type_identity<T> {};
template <class T>
using remove_pointer_t = typename remove_pointer<T>::type;

template <class A, class B>
inline constexpr bool is_same_v = false;
template <class A>
inline constexpr bool is_same_v<A, A> = true;
template <class T>
inline constexpr bool is_integral_v =
    is_same_v<remove_cv_t<T>, bool> || is_same_v<remove_cv_t<T>, char> ||
    is_same_v<remove_cv_t<T>, signed char> || is_same_v<remove_cv_t<T>, unsigned char> ||
    is_same_v<remove_cv_t<T>, short> || is_same_v<remove_cv_t<T>, unsigned short> ||
    is_same_v<remove_cv_t<T>, int> || is_same_v<remove_cv_t<T>, unsigned> ||
    is_same_v<remove_cv_t<T>, long> || is_same_v<remove_cv_t<T>, unsigned long> ||
    is_same_v<remove_cv_t<T>, long long> || is_same_v<remove_cv_t<T>, unsigned long long>;
template <class T>
inline constexpr bool is_floating_point_v =
    is_same_v<remove_cv_t<T>, float> || is_same_v<remove_cv_t<T>, double>;
template <class T>
inline constexpr bool is_arithmetic_v = is_integral_v<T> || is_floating_point_v<T>;
template <class T>
T&& declval() noexcept;
template <class From, class To>
inline constexpr bool is_convertible_v = requires(void (*take)(To)) {
  take(declval<From>());
};

template <class A, class B>
concept same_as = is_same_v<A, B>;
template <class T>
concept integral = is_integral_v<T>;
template <class T>
concept floating_point = is_floating_point_v<T>;
template <class From, class To>
concept convertible_to = is_convertible_v<From, To> && requires {
  static_cast<To>(declval<From>());
};

template <class T>
constexpr T&& forward(remove_reference_t<T>& x) noexcept {
  return static_cast<T&&>(x);
}
template <class T>
constexpr remove_reference_t<T>&& move(T&& x) noexcept {
  return static_cast<remove_reference_t<T>&&>(x);
}

template <class T, size_t n>
struct array {
  T elements[n > 0 ? n : 1];
  constexpr size_t size() const { return n; }
  constexpr T* data() { return elements; }
  constexpr const T* data() const { return elements; }
  constexpr T& operator[](size_t k) { return elements[k]; }
  constexpr const T& operator[](size_t k) const { return elements[k]; }
};
template <class T, class... Others>
array(T, Others...) -> array<T, 1 + sizeof...(Others)>;

template <class T>
struct numeric_limits;
template <>
struct numeric_limits<double> {
  static constexpr double epsilon() { return 0x1p-52; }
  static double quiet_NaN() { return __longlong_as_double(0x7ff8000000000000LL); }
  static double infinity() { return __longlong_as_double(0x7ff0000000000000LL); }
  static constexpr double max() { return 0x1.fffffffffffffp+1023; }
  static constexpr double min() { return 0x1p-1022; }
};
template <>
struct numeric_limits<float> {
  static constexpr float epsilon() { return 0x1p-23f; }
  static float quiet_NaN() { return __int_as_float(0x7fc00000); }
  static float infinity() { return __int_as_float(0x7f800000); }
  static constexpr float max() { return 0x1.fffffep+127f; }
  static constexpr float min() { return 0x1p-126f; }
};
template <>
struct numeric_limits<long long> {
  static constexpr long long min() { return -0x7fffffffffffffffLL - 1; }
  static constexpr long long max() { return 0x7fffffffffffffffLL; }
};
template <>
struct numeric_limits<int> {
  static constexpr int min() { return -0x7fffffff - 1; }
  static constexpr int max() { return 0x7fffffff; }
};

using ::atan2;
using ::cos;
using ::exp;
using ::fabs;
using ::log;
using ::memcpy;
using ::sin;
using ::sqrt;

}  // namespace std

#endif
