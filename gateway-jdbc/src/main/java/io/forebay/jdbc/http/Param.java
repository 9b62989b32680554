/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

/**
 * A parameter of a statement.
 *
 * @param nullable whether it may be null, or left out, which is the same
 */
record Param(String name, ParamType type, boolean nullable) {}
