/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.statement;

import io.forebay.call.value.Values;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The SHA-256 of a statement with an idempotency key: of its SQL text, arguments and result type. A
 * reference, with or without a fingerprint, has the hash of its text in the catalogue. A key
 * therefore stays valid when the backend changes.
 */
public final class RequestHash {

  private RequestHash() {}

  /** The hash of a statement as performed. */
  public static byte[] of(PendingStatement statement) {
    List<@Nullable Object> request = new ArrayList<>();
    request.add(statement.kind.name());
    Class<?> type = statement.resultType;
    request.add(type == null ? null : type.getName());
    if (statement.kind == PendingStatement.Kind.TOGETHER) {
      statement.calls.forEach(call -> add(request, call.sql(), call.args()));
    } else {
      add(request, statement.sql, Arrays.asList(statement.args));
    }
    return sha256(Values.encode(request));
  }

  /** The hash of a refused statement, as received. */
  public static byte[] asReceived(PendingStatement statement) {
    List<@Nullable Object> request = new ArrayList<>();
    request.add("refused " + statement.kind);
    statement.asReceived.forEach(call -> add(request, call.sql(), call.args()));
    return sha256(Values.encode(request));
  }

  private static void add(
      List<@Nullable Object> request, String sql, List<? extends @Nullable Object> args) {
    request.add(sql);
    request.add(args);
  }

  private static byte[] sha256(byte[] request) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(request);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
