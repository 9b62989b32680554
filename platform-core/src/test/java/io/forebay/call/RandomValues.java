/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

import io.forebay.call.value.Aliases;
import io.forebay.call.value.Cbor;
import io.forebay.call.value.Json;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.stream.Collectors;

/** Values of all types that an argument of declared type Object may have, from a seed. */
final class RandomValues {

  /** A registered record. */
  record Item(long number, Object value, List<Item> items) {}

  static final Aliases ALIASES =
      Aliases.none().with("item", Item.class).with("instant", Instant.class);

  private final SplittableRandom random;

  RandomValues(SplittableRandom random) {
    this.random = random;
  }

  /**
   * A value in the form in which it arrives: numbers as long, times with offset as OffsetDateTime,
   * arrays as lists.
   */
  Object next() {
    return next(3);
  }

  Object[] args() {
    Object[] args = new Object[random.nextInt(6)];
    for (int i = 0; i < args.length; i++) {
      args[i] = next();
    }
    return args;
  }

  private Object next(int depth) {
    return switch (random.nextInt(depth > 0 ? 17 : 15)) {
      case 0 -> null;
      case 1 -> random.nextBoolean();
      case 2 -> integer();
      case 3 -> Double.longBitsToDouble(finite(random.nextLong()));
      case 4 -> Float.intBitsToFloat((int) (finite(random.nextLong()) >>> 32) & 0xff7f_ffff);
      case 5 -> decimal();
      case 6 -> text();
      case 7 -> bytes();
      case 8 -> date();
      case 9 -> time();
      case 10 -> LocalDateTime.of(date(), time());
      case 11 ->
          OffsetDateTime.of(
              date(), time(), ZoneOffset.ofTotalSeconds(60 * random.nextInt(-1_080, 1_081)));
      case 12 -> new UUID(random.nextLong(), random.nextLong());
      case 13 -> new Json(text());
      case 14 -> Instant.class;
      case 15 -> list(depth - 1);
      default -> item(depth - 1);
    };
  }

  /** Without infinities and NaN, which do not equal themselves everywhere. */
  private static long finite(long bits) {
    return bits & 0xffef_ffff_ffff_ffffL;
  }

  private long integer() {
    return random.nextLong() >> random.nextInt(64);
  }

  private BigDecimal decimal() {
    BigInteger unscaled = new BigInteger(1, bytes());
    return new BigDecimal(
        random.nextBoolean() ? unscaled : unscaled.negate(),
        random.nextInt(-Cbor.MAX_EXPONENT, Cbor.MAX_EXPONENT + 1) >> random.nextInt(15));
  }

  String text() {
    int length = length();
    boolean ascii = random.nextBoolean();
    return random
        .ints(length, 0, ascii ? 0x80 : 0x11_0000)
        .filter(c -> c < 0xd800 || c > 0xdfff)
        .mapToObj(Character::toString)
        .collect(Collectors.joining());
  }

  private byte[] bytes() {
    byte[] bytes = new byte[length()];
    random.nextBytes(bytes);
    return bytes;
  }

  /** Mostly short, sometimes longer than one or two bytes of length can encode. */
  private int length() {
    return switch (random.nextInt(100)) {
      case 0 -> random.nextInt(250, 600);
      case 1, 2, 3 -> random.nextInt(20, 30);
      default -> random.nextInt(20);
    };
  }

  private LocalDate date() {
    return LocalDate.of(random.nextInt(10_000), 1, 1).withDayOfYear(random.nextInt(1, 366));
  }

  private LocalTime time() {
    long nanos = random.nextLong(86_400_000_000_000L);
    long unit = List.of(1L, 1_000L, 1_000_000L, 1_000_000_000L).get(random.nextInt(4));
    return LocalTime.ofNanoOfDay(nanos / unit * unit);
  }

  private List<Object> list(int depth) {
    List<Object> list = new ArrayList<>();
    for (int i = random.nextInt(5); i > 0; i--) {
      list.add(next(depth));
    }
    return list;
  }

  private Item item(int depth) {
    List<Item> items = new ArrayList<>();
    for (int i = depth > 0 ? random.nextInt(3) : 0; i > 0; i--) {
      items.add(item(depth - 1));
    }
    return new Item(integer(), next(depth), items);
  }
}
