// A ray tracer: three spheres over a chessboard, with shadows and mirrors, all rays at once.
#include <numjit/np.h>

namespace np = numjit;

namespace ray_tracer {

std::tuple<np::array, np::array, np::array, int, int, int> inputs() {
  auto centre = np::array{{0.0, 1.0, 4.0}, {-1.7, 0.6, 3.0}, {1.5, 0.5, 2.6}};
  auto radius = np::array{1.0, 0.6, 0.5};
  auto colour = np::array{{0.9, 0.2, 0.2}, {0.2, 0.8, 0.3}, {0.3, 0.3, 0.9}};
  return {centre, radius, colour, 24, 32, 3};
}

np::array unit(const np::array& v) {
  return v / np::linalg::norm(v, {.axis = -1, .keepdims = true});
}
np::array dot(const np::array& a, const np::array& b) { return np::sum(a * b, {.axis = -1}); }
np::array column(const np::array& v) { return v(np::_, np::newaxis); }

// Distance to each sphere and to the floor (y = 0) along the rays, infinite where there is none:
// (spheres + 1, rays).
np::array hit(const np::array& start, const np::array& way, const np::array& centre,
              const np::array& radius) {
  auto to = column(centre) - start;
  auto along = dot(to, way);
  auto inside = np::square(column(radius)) - (dot(to, to) - np::square(along));
  auto near = along - np::sqrt(np::maximum(inside, 0));
  auto spheres = np::where((inside > 0) & (near > 1e-4), near, np::inf);
  auto fall = way(np::_, 1);
  auto floor = -start(np::_, 1) / np::where(np::abs(fall) > 1e-9, fall, 1e-9);
  return np::concatenate({spheres, np::where(floor > 1e-4, floor, np::inf)(np::newaxis)});
}

std::tuple<np::array, np::array, np::array> run(const np::array& centre, const np::array& radius,
                                                const np::array& colour, int rows, int columns,
                                                int bounces) {
  auto grid = np::meshgrid({np::linspace(0.9, -0.7, rows), np::linspace(-1.1, 1.1, columns)},
                           {.indexing = "ij"});
  auto y = grid[0], x = grid[1];
  auto way =
      unit(np::stack({x.ravel(), y.ravel() - 0.1, np::full(rows * columns, 1.5)}, {.axis = 1}));
  auto start = np::zeros_like(way) + np::array{0.0, 1.0, -1.0};
  auto light = np::array{4.0, 6.0, -3.0};
  auto seen = np::zeros_like(way), share = np::ones({way.len(), 1});
  np::array first;
  for (int bounce = 0; bounce < bounces; ++bounce) {
    auto distances = hit(start, way, centre, radius);
    auto thing = np::argmin(distances, {.axis = 0});
    auto distance = np::min(distances, {.axis = 0});
    auto missed = ~np::isfinite(distance);
    if (bounce == 0) first = np::where(missed, -1, thing);
    auto place = start + column(np::where(missed, 0, distance)) * way;
    auto on_floor = thing == radius.len();
    auto ball = np::minimum(thing, radius.len() - 1);
    auto normal = np::where(column(on_floor), np::array{0.0, 1.0, 0.0}, unit(place - centre(ball)));
    auto squares = (np::floor(place(np::_, 0)) + np::floor(place(np::_, 2))) % 2;
    auto surface = np::where(column(on_floor), column(0.2 + 0.7 * squares), colour(ball));
    auto to_light = unit(light - place);
    auto spheres = hit(place + 1e-3 * normal, to_light, centre, radius)(np::slice(np::none, -1));
    auto shade = np::any(np::isfinite(spheres), {.axis = 0});
    auto bright = 0.1 + np::where(shade, 0, np::maximum(dot(normal, to_light), 0));
    auto sky = (0.5 + 0.5 * way(np::_, np::slice(1, 2))) * np::array{0.5, 0.7, 1.0};
    auto mirror = column(np::where(missed, 0, np::where(on_floor, 0.15, 0.4)));
    seen = seen + share * np::where(column(missed), sky, (1 - mirror) * surface * column(bright));
    share = share * mirror;
    way = unit(way - 2 * column(dot(way, normal)) * normal);
    start = place + 1e-3 * normal;
  }
  auto picture = np::clip(255 * np::power(seen, 1 / 2.2), 0, 255).astype(np::float32);
  return {picture.reshape(rows, columns, 3), first.reshape(rows, columns),
          np::mean(seen, {.axis = 0})};
}

}  // namespace ray_tracer
