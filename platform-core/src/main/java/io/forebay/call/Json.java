/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

/**
 * A JSON document as an argument, as text. It is carried as it is: whether it is well-formed is for
 * the receiver to find out.
 */
public record Json(String text) {}
