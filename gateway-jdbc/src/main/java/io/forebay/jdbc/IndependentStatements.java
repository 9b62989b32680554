/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc;

/**
 * Tells of which SQL texts statements may be performed before others that came earlier, so that
 * equal ones can be performed together. A bean of this type is asked by every gateway, for each
 * statement: it must be fast, and may change its mind. Thread-safe.
 */
@FunctionalInterface
public interface IndependentStatements {

  boolean isIndependent(String gateway, String sql);
}
