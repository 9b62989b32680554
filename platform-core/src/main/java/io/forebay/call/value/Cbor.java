/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call.value;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** The numbers of RFC 8949 that format version 0 uses, and its own limits. */
public final class Cbor {

  public static final int UNSIGNED = 0x00;
  static final int NEGATIVE = 0x20;
  public static final int BYTES = 0x40;
  public static final int TEXT = 0x60;
  public static final int ARRAY = 0x80;
  public static final int MAP = 0xa0;
  static final int TAG = 0xc0;

  static final int FALSE = 0xf4;
  public static final int TRUE = 0xf5;
  public static final int NULL = 0xf6;
  static final int FLOAT16 = 0xf9;
  static final int FLOAT32 = 0xfa;
  static final int FLOAT64 = 0xfb;

  static final int TAG_DATE_TIME = 0;
  static final int TAG_UNSIGNED_BIG = 2;
  static final int TAG_NEGATIVE_BIG = 3;
  static final int TAG_DECIMAL = 4;
  static final int TAG_RECORD = 27;
  static final int TAG_UUID = 37;
  static final int TAG_ALIAS = 39;
  static final int TAG_JSON = 262;
  static final int TAG_DATE = 1004;

  /** ISO 8601 local time as text; a tag of our own from the first-come range, not registered. */
  static final int TAG_LOCAL_TIME = 64_257;

  /**
   * ISO 8601 local date and time as text; a tag of our own from the first-come range, not
   * registered.
   */
  static final int TAG_LOCAL_DATE_TIME = 64_258;

  /** How deep lists, maps and tags may be nested. */
  public static final int MAX_DEPTH = 32;

  /**
   * The largest exponent of a decimal number, without its sign: the limit of PostgreSQL's numeric.
   */
  public static final int MAX_EXPONENT = 16_383;

  /** The longest unscaled value of a decimal number: about 9,800 digits. */
  public static final int MAX_UNSCALED_BYTES = 4_096;

  /** The longest client name and idempotency key, in bytes of UTF-8. */
  public static final int MAX_KEY_BYTES = 255;

  public static final int MAX_HEADERS = 16;

  /** The most items of the frame's array, and the number of calls that fit in it. */
  public static final int MAX_ITEMS = 0xffff;

  public static final VarHandle SHORTS =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);
  static final VarHandle INTS =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
  public static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private Cbor() {}
}
