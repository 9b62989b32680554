/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.statement;

import io.forebay.call.value.Values;
import io.forebay.jdbc.Call;
import io.forebay.text.Sha256;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The SHA-256 of a statement with an idempotency key: of its SQL text, arguments and result type. A
 * reference, with or without a fingerprint, has the hash of its text in the catalogue. A key
 * therefore stays valid when the backend changes. Every value that a message can carry has a hash:
 * each is added on its own, so neither their sum nor their nesting has a limit here.
 */
final class RequestHash {

  private RequestHash() {}

  /** The hash of a request that is performed. */
  static byte[] of(Request request) {
    return switch (request) {
      case Request.Single(String sql, Object[] args, Class<?> type) ->
          hash(
              type == null ? "UPDATE" : "QUERY",
              type == null ? null : type.getName(),
              List.of(new Call(sql, Arrays.asList(args))));
      case Request.Together(List<Request.Single> updates) ->
          hash(
              "TOGETHER",
              null,
              updates.stream().map(it -> new Call(it.sql(), Arrays.asList(it.args()))).toList());
      case Request.Refused _, Request.Undecodable _ ->
          throw new IllegalArgumentException("it is not performed");
    };
  }

  /** The hash of a refused request, as received. */
  static byte[] asReceived(boolean query, List<Call> calls) {
    return hash(query ? "refused query" : "refused update", null, calls);
  }

  private static byte[] hash(String kind, @Nullable String type, List<Call> calls) {
    MessageDigest digest = Sha256.digest();
    Values.digest(Arrays.asList(kind, type), digest);
    for (Call call : calls) {
      Values.digest(List.of(call.sql(), call.args().size()), digest);
      Values.digest(call.args(), digest);
    }
    return digest.digest();
  }
}
