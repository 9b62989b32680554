/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.statement;

import io.forebay.jdbc.Call;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;

/**
 * The idempotency key of a statement, and the request that it identifies.
 *
 * @param id the message id derived from the key
 * @param hash of the request, see {@link RequestHash}
 * @param asReceived the calls of the message, with their references
 */
public record IdempotencyKey(UUID id, byte[] hash, boolean isQuery, List<Call> asReceived)
    implements PendingStatement.Key {

  public static IdempotencyKey of(UUID id, Request request, List<Call> asReceived) {
    byte[] hash =
        request instanceof Request.Refused
            ? RequestHash.asReceived(request.isQuery(), asReceived)
            : RequestHash.of(request);
    return new IdempotencyKey(id, hash, request.isQuery(), asReceived);
  }

  /**
   * Whether it identifies the request with this hash. A statement that was refused because its name
   * was unknown is identified by its name.
   */
  public boolean identifies(byte[] other) {
    return Arrays.equals(other, hash)
        || Arrays.equals(other, RequestHash.asReceived(isQuery, asReceived));
  }
}
