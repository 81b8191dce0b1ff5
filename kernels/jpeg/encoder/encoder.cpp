// SPDX-License-Identifier: LGPL-2.1-or-later
#include "encoder.h"

#include <bit>
#include <cstring>
#include <new>

#include "../plan/coding_plan.h"
#include "../plan/file_header.h"
#include "../tables/markers.h"
#include "blocks_cpu.h"
#include "entropy.h"
#include "quality_search.h"
#include "strips.h"

namespace coalesce::jpeg {
namespace {

Status no_memory() {
  return {StatusCode::out_of_memory, "jpeg: no memory for the encoder"};
}

}  // namespace

struct Encoder::State {
  explicit State(const EncoderParams &p)
      : params(p), plan(make_plan(p)), strips(p.format, plan), last_quality(p.quality) {
    const auto of_row =
        static_cast<std::size_t>(plan.mcus_x) * static_cast<std::size_t>(plan.blocks_of_mcu);
    const std::size_t rows = params.optimize ? static_cast<std::size_t>(plan.mcus_y) : 1;
    row_coefficients = of_row * kCoefficients;
    coefficients.reset(new std::int16_t[row_coefficients * rows]);
    row_bytes.reset(new std::uint8_t[(of_row + 1) * kMostBlockBytes]);
  }

  std::int16_t *row(int mcu_y) const {
    return coefficients.get() +
           (params.optimize ? row_coefficients * static_cast<std::size_t>(mcu_y) : 0);
  }
  void transform(const ConstImage &image, int mcu_y);
  void repeat_dc(int mcu_y, const CodedComponent &c);
  void count(int mcu_y);
  void write(int mcu_y);
  void take_codes(const HuffmanTables &tables);
  HuffmanTables best_tables() const;
  void encode(const ConstImage &image, int quality, std::vector<std::uint8_t> *file);
  Status search(const ConstImage &image, std::vector<std::uint8_t> *file);

  EncoderParams params;
  CodingPlan plan;
  Strips strips;
  int last_quality;
  std::size_t row_coefficients;
  std::unique_ptr<std::int16_t[]> coefficients;  // of a row of MCUs, or of all
  std::unique_ptr<std::uint8_t[]> row_bytes;
  QuantFactors quant[2] = {};
  CodeTable codes[2] = {};
  Statistics statistics[2];
  BitWriter writer{nullptr};

  // Where the scan is: for visits to blocks in its order.
  struct Place {
    int dc[kMostComponents] = {};  // of the blocks before
    int left = 0;                  // MCUs of the interval
    int intervals = -1;            // before this one
  };
  // block(coefficients, DC before, table) and, before each interval but the first,
  // next_interval(number of the one before).
  template <class Block, class NextInterval>
  void visit(int mcu_y, const Block &block, const NextInterval &next_interval);
  Place place;
};

void Encoder::State::transform(const ConstImage &image, int mcu_y) {
  strips.load(image, mcu_y);
  const std::size_t of_mcu = kCoefficients * static_cast<std::size_t>(plan.blocks_of_mcu);
  for (int i = 0; i < plan.components; ++i) {
    const CodedComponent &c = plan.component[i];
    std::int16_t *first = row(mcu_y) + kCoefficients * c.first_in_mcu;
    for (int y = 0; y < c.v && mcu_y * c.v + y < c.blocks_y; ++y, first += kCoefficients * c.h) {
      const std::uint8_t *rows[kBlockSize];
      for (int line = 0; line < kBlockSize; ++line)
        rows[line] = strips.row(i, kBlockSize * y + line);
      code_blocks(rows, c.blocks_x, quant[c.table],
                  {first, std::countr_zero(static_cast<unsigned>(c.h)), of_mcu});
    }
    repeat_dc(mcu_y, c);
  }
}

// In blocks beyond the picture.
void Encoder::State::repeat_dc(int mcu_y, const CodedComponent &c) {
  const bool short_row = c.blocks_x < plan.mcus_x * c.h;
  const bool short_column = c.blocks_y < (mcu_y + 1) * c.v;
  if (!short_row && !short_column) return;
  for (int x = short_column ? 0 : plan.mcus_x - 1; x < plan.mcus_x; ++x) {
    std::int16_t *block = row(mcu_y) + kCoefficients * static_cast<std::size_t>(
                                                           x * plan.blocks_of_mcu + c.first_in_mcu);
    for (int n = 0; n < c.h * c.v; ++n, block += kCoefficients) {
      if (c.source(x, mcu_y, n % c.h, n / c.h).has_ac) continue;
      std::memset(block, 0, kCoefficients * sizeof *block);
      block[0] = block[-kCoefficients];
    }
  }
}

template <class Block, class NextInterval>
void Encoder::State::visit(int mcu_y, const Block &block, const NextInterval &next_interval) {
  const std::int16_t *from = row(mcu_y);
  for (int x = 0; x < plan.mcus_x; ++x) {
    if (place.left == 0) {
      if (place.intervals >= 0) next_interval(place.intervals);
      place = {.left = plan.restart_interval, .intervals = place.intervals + 1};
    }
    for (int i = 0; i < plan.components; ++i) {
      const CodedComponent &c = plan.component[i];
      for (int n = c.h * c.v; n > 0; --n, from += kCoefficients) {
        block(from, place.dc[i], c.table);
        place.dc[i] = from[0];
      }
    }
    --place.left;
  }
}

void Encoder::State::count(int mcu_y) {
  visit(
      mcu_y,
      [this](const std::int16_t *block, int dc_before, int table) {
        count_symbols(block, dc_before, statistics + table);
      },
      [](int) {});
}

void Encoder::State::write(int mcu_y) {
  visit(
      mcu_y,
      [this](const std::int16_t *block, int dc_before, int table) {
        writer.put_block(block, dc_before, codes[table]);
      },
      [this](int number) {
        writer.end_interval();
        writer.put_marker(static_cast<int>(Marker::rst0) + number % 8);
      });
}

void Encoder::State::take_codes(const HuffmanTables &tables) {
  for (int i = 0; i < 2; ++i)
    codes[i] = code_table(tables.dc[i], tables.ac[i]);
}

HuffmanTables Encoder::State::best_tables() const {
  HuffmanTables tables;
  for (int i = 0; i < 2; ++i) {
    tables.dc[i] = optimal_table(statistics[i].dc);
    tables.ac[i] = optimal_table(statistics[i].ac);
  }
  return tables;
}

void Encoder::State::encode(const ConstImage &image, int quality, std::vector<std::uint8_t> *file) {
  const QuantTables steps = quant_tables(params, quality);
  for (int i = 0; i < 2; ++i)
    quant[i] = quant_factors(steps.table[i]);
  HuffmanTables tables = usual_tables();
  if (params.optimize) {
    for (Statistics &s : statistics)
      s = {};
    place = {};
    for (int y = 0; y < plan.mcus_y; ++y) {
      transform(image, y);
      count(y);
    }
    tables = best_tables();
  }
  take_codes(tables);
  write_header(params, plan, steps, tables, file);
  place = {};
  for (int y = 0; y < plan.mcus_y; ++y) {
    if (!params.optimize) transform(image, y);
    writer.move_to(row_bytes.get());
    write(y);
    if (y == plan.mcus_y - 1) {
      writer.end_interval();
      writer.put_marker(static_cast<int>(Marker::eoi));
    }
    file->insert(file->end(), row_bytes.get(), writer.end());
  }
}

Status Encoder::State::search(const ConstImage &image, std::vector<std::uint8_t> *file) {
  const std::size_t before = file->size();
  QualitySearch search(params.quality);
  int last = 0;
  while (!search.is_over()) {
    last = search.next();
    file->resize(before);
    encode(image, last, file);
    search.tried(file->size() - before <= params.max_bytes);
  }
  if (search.best() == 0) {
    file->resize(before);
    return invalid_argument(
        "jpeg: max-bytes is too small for the picture, even with a quality of 1");
  }
  if (search.best() != last) {
    file->resize(before);
    encode(image, search.best(), file);
  }
  last_quality = search.best();
  return {};
}

Encoder::Encoder(std::unique_ptr<State> state) : state_(std::move(state)) {}
Encoder::~Encoder() = default;

Status Encoder::make(const EncoderParams &params, std::unique_ptr<Encoder> *encoder) try {
  if (Status s = check_params(params); !s.ok()) return s;
  encoder->reset(new Encoder(std::make_unique<State>(params)));
  return {};
} catch (const std::bad_alloc &) {
  return no_memory();
}

Status Encoder::set_quality(int quality) {
  EncoderParams changed = state_->params;
  changed.quality = quality;
  if (Status s = check_params(changed); !s.ok()) return s;
  state_->params.quality = quality;
  return {};
}

Status Encoder::set_max_bytes(std::size_t max_bytes) {
  if ((max_bytes == 0) != (state_->params.max_bytes == 0))
    return invalid_argument("jpeg: an encoder has a limit of bytes always, or never");
  state_->params.max_bytes = max_bytes;
  return {};
}

Status Encoder::encode(const ConstImage &image, std::vector<std::uint8_t> *file) {
  if (Status s = check_image(image); !s.ok()) return s;
  const EncoderParams &params = state_->params;
  if (!(image.format == params.format) || image.width != params.width ||
      image.height != params.height)
    return invalid_argument("jpeg: a picture has another format or size than the encoder");
  const std::size_t before = file->size();
  try {
    if (params.max_bytes != 0) return state_->search(image, file);
    state_->encode(image, params.quality, file);
    state_->last_quality = params.quality;
    return {};
  } catch (const std::bad_alloc &) {
    file->resize(before);
    return no_memory();
  }
}

int Encoder::quality() const {
  return state_->last_quality;
}

}  // namespace coalesce::jpeg
