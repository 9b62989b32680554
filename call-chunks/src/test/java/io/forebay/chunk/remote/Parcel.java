/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk.remote;

import io.forebay.chunk.Reply;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The argument of the services in these tests; {@link Label} is their result. */
record Parcel(long number, @Nullable String text, @Nullable Content content) {

  record Content(
      BigDecimal weight,
      LocalDate packed,
      List<@Nullable String> items,
      Map<String, Integer> counts) {}

  record Label(long number, @Nullable String text, @Nullable Content content) {}

  static final ChunkCodec<Parcel, @Nullable Label> CODEC = ChunkCodec.of(Parcel.class, Label.class);

  Parcel(long number) {
    this(number, "parcel " + number, null);
  }

  static List<Parcel> parcels(int count) {
    List<Parcel> parcels = new ArrayList<>();
    for (int number = 0; number < count; number++) {
      parcels.add(new Parcel(number));
    }
    return parcels;
  }

  Label label() {
    return new Label(number, text, content);
  }

  /** One reply per parcel, in order. */
  static List<Reply<@Nullable Label>> each(
      List<Parcel> parcels, Function<Parcel, @Nullable Label> function) {
    List<Reply<@Nullable Label>> replies = new ArrayList<>();
    for (Parcel parcel : parcels) {
      try {
        replies.add(new Reply.Result<>(replies.size(), function.apply(parcel)));
      } catch (RuntimeException e) {
        replies.add(new Reply.Failure<>(replies.size(), e));
      }
    }
    return replies;
  }
}
