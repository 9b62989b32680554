/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc;

/**
 * Decides for which SQL texts the gateway may reorder statements, so that it can perform equal ones
 * together. Every gateway calls a bean of this type for each statement: it must be fast. Its answer
 * may change over time. Thread-safe.
 */
@FunctionalInterface
public interface IndependentStatements {

  boolean isIndependent(String gateway, String sql);
}
