/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.system;

import io.forebay.operations.Actor;
import io.forebay.operations.Audit;
import io.forebay.text.OneLine;
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
import java.util.Objects;

/**
 * An entry with exactly the texts and the time that the database keeps, so that its hash can be
 * computed again from what is read.
 *
 * @param at in whole microseconds
 */
record AuditRow(Instant at, Audit.Entry entry) {

  static final String COLUMNS =
      "created_at, actor_kind, actor, role, address, action, target, reason, outcome, changes,"
          + " undoes";

  /** The version of what is hashed of an entry without a change. */
  private static final int WITHOUT_CHANGE = 1;

  private static final int WITH_CHANGE = 2;

  /** The texts cut to the lengths of their columns. */
  static AuditRow of(Instant at, Audit.Entry entry) {
    Actor actor = entry.actor();
    return new AuditRow(
        at.truncatedTo(ChronoUnit.MICROS),
        new Audit.Entry(
            new Actor(
                actor.kind(),
                OneLine.of(actor.name(), 255),
                OneLine.of(actor.role(), 20),
                OneLine.of(actor.address(), 100)),
            OneLine.of(entry.action(), 100),
            OneLine.of(entry.target(), 2_000),
            OneLine.of(entry.reason(), 5_000),
            OneLine.of(entry.outcome(), 500),
            entry.change()));
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
            row.getString("outcome"),
            change(row)));
  }

  private static Audit.Change change(ResultSet row) throws SQLException {
    long undoes = row.getLong("undoes");
    Long undone = row.wasNull() ? null : undoes;
    return Audit.Change.ofLines(row.getString("changes"), undone);
  }

  /** The texts in the order of {@link #COLUMNS}, without those of the change. */
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
      Audit.Change change = entry.change();
      out.writeByte(change.isNone() ? WITHOUT_CHANGE : WITH_CHANGE);
      out.write(HexFormat.of().parseHex(previousHash));
      out.writeLong(number);
      out.writeLong(ChronoUnit.MICROS.between(Instant.EPOCH, at));
      for (String text : texts()) {
        write(text, out);
      }
      if (!change.isNone()) {
        write(change.lines(), out);
        out.writeLong(Objects.requireNonNullElse(change.undoes(), 0L));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new Audit.Link(number, HexFormat.of().formatHex(sha256(bytes.toByteArray())));
  }

  private static void write(String text, DataOutputStream out) throws IOException {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    out.writeInt(utf8.length);
    out.write(utf8);
  }

  private static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
