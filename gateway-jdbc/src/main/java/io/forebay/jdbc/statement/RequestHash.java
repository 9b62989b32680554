/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.statement;

import io.forebay.call.value.Values;
import io.forebay.jdbc.Call;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The SHA-256 of a statement with an idempotency key: of its SQL text, arguments and result type. A
 * reference, with or without a fingerprint, has the hash of its text in the catalogue. A key
 * therefore stays valid when the backend changes. Every value that a message can carry has a hash:
 * each is added on its own, so neither their sum nor their nesting has a limit here.
 */
public final class RequestHash {

  private RequestHash() {}

  /** The hash of a statement as performed. */
  public static byte[] of(PendingStatement statement) {
    Class<?> type = statement.resultType;
    return statement.kind == PendingStatement.Kind.TOGETHER
        ? hash(statement.kind.name(), null, statement.calls)
        : hash(
            statement.kind.name(),
            type == null ? null : type.getName(),
            List.of(new Call(statement.sql, Arrays.asList(statement.args))));
  }

  /** The hash of a refused statement, as received. */
  public static byte[] asReceived(PendingStatement statement) {
    return hash("refused " + statement.kind, null, statement.asReceived);
  }

  private static byte[] hash(String kind, @Nullable String type, List<Call> calls) {
    MessageDigest digest = sha256();
    Values.digest(Arrays.asList(kind, type), digest);
    for (Call call : calls) {
      Values.digest(List.of(call.sql(), call.args().size()), digest);
      Values.digest(call.args(), digest);
    }
    return digest.digest();
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
