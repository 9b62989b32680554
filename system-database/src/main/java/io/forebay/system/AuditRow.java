/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.system;

import io.forebay.operations.Actor;
import io.forebay.operations.Audit;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.HexFormat;
import java.util.List;

/**
 * An entry with exactly the texts and the time that the database keeps, so that its hash can be
 * computed again from what is read.
 *
 * @param at in whole microseconds
 */
record AuditRow(Instant at, Audit.Entry entry) {

  static final String COLUMNS =
      "created_at, actor_kind, actor, role, address, action, target, reason, outcome";

  /** The version of what is hashed. */
  private static final int VERSION = 1;

  /** The texts cut to the lengths of their columns. */
  static AuditRow of(Instant at, Audit.Entry entry) {
    Actor actor = entry.actor();
    return new AuditRow(
        at.truncatedTo(ChronoUnit.MICROS),
        new Audit.Entry(
            new Actor(
                actor.kind(),
                text(actor.name(), 255),
                text(actor.role(), 20),
                text(actor.address(), 100)),
            text(entry.action(), 100),
            text(entry.target(), 2_000),
            text(entry.reason(), 5_000),
            text(entry.outcome(), 500)));
  }

  static AuditRow read(ResultSet row) throws SQLException {
    return new AuditRow(
        row.getObject("created_at", OffsetDateTime.class).toInstant(),
        new Audit.Entry(
            new Actor(
                Actor.Kind.ofText(row.getString("actor_kind")),
                row.getString("actor"),
                row.getString("role"),
                row.getString("address")),
            row.getString("action"),
            row.getString("target"),
            row.getString("reason"),
            row.getString("outcome")));
  }

  /** The texts in the order of {@link #COLUMNS}. */
  List<String> texts() {
    Actor actor = entry.actor();
    return List.of(
        actor.kind().text(),
        actor.name(),
        actor.role(),
        actor.address(),
        entry.action(),
        entry.target(),
        entry.reason(),
        entry.outcome());
  }

  /** Its place in the chain behind another entry; {@code docs/security.md} has the format. */
  Audit.Link after(Audit.Link previous) {
    return link(previous.number() + 1, previous.hash());
  }

  /** Its place in the chain, if it has this number. */
  Audit.Link link(long number, String previousHash) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeByte(VERSION);
      out.write(HexFormat.of().parseHex(previousHash));
      out.writeLong(number);
      out.writeLong(ChronoUnit.MICROS.between(Instant.EPOCH, at));
      for (String text : texts()) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        out.writeInt(utf8.length);
        out.write(utf8);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new Audit.Link(number, HexFormat.of().formatHex(sha256(bytes.toByteArray())));
  }

  private static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * One line of at most this length that each database keeps unchanged, and that neither moves the
   * cursor of a terminal nor changes the order of what it shows.
   */
  private static String text(String text, int length) {
    StringBuilder line = new StringBuilder();
    text.codePoints().map(it -> isText(it) ? it : '?').forEach(line::appendCodePoint);
    if (line.length() <= length) {
      return line.toString();
    }
    int end = length - 1;
    line.setLength(Character.isHighSurrogate(line.charAt(end - 1)) ? end - 1 : end);
    return line.append('…').toString();
  }

  private static boolean isText(int codePoint) {
    return switch (Character.getType(codePoint)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.SURROGATE ->
          false;
      default -> true;
    };
  }
}
